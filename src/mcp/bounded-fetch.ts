// `fetch` for an MCP server that may send anything: the body of a response is limited, in total for JSON and per line for
// an event stream.

import { messageLimit } from './process-transport.ts';

export interface FetchWatch {
  readonly fetch: Fetch;
  /** A response was too large. It ends with an error. */
  readonly onExcess: () => void;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export function createBoundedFetch({ fetch, onExcess }: FetchWatch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    const bounded = boundBody(body, isStream, onExcess);
    return new Response(bounded, { status, statusText, headers });
  };
}

const lineFeed = 10;

function boundBody(
  body: ReadableStream<Uint8Array>,
  isStream: boolean,
  onExcess: () => void,
): ReadableStream<Uint8Array> {
  let size = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      const last = isStream ? bytes.lastIndexOf(lineFeed) : -1;
      size = last === -1 ? size + bytes.length : bytes.length - last - 1;
      if (size <= messageLimit) return controller.enqueue(bytes);
      onExcess();
      controller.error(new Error('the response is too large'));
    },
  });
  return body.pipeThrough(bound);
}
