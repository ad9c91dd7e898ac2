// How long a call to a remote model may take.

/** In milliseconds; 0 means no limit. */
export interface Timeouts {
  readonly connect: number;
  /** Until a stream's first content. */
  readonly firstToken: number;
  /** Between two pieces of content; pings do not count. */
  readonly idle: number;
  /** The whole call, streamed or not. */
  readonly total?: number;
  /** The whole of a call that asks for a plain body, in place of `total`. */
  readonly plainTotal?: number;
}
