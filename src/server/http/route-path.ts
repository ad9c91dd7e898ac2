// The path and query of a request. Clients that are configured for a gateway with one path for each vendor may keep it:
// `/openai/v1/…` and `/anthropic/v1/…` mean `/v1/…` in the format of that vendor.

const prefix = /^\/(openai|anthropic)(?=\/v1(?:\/|$))/;

export interface RoutePath {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** The vendor of the prefix. */
  readonly prefix?: string;
}

export function toRoutePath(url = '/'): RoutePath {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? '' : url.slice(mark + 1);
  const [whole = '', vendor] = prefix.exec(path) ?? [];
  return { path: path.slice(whole.length), query, ...(vendor === undefined ? {} : { prefix: vendor }) };
}
