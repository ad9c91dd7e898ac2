// The path and query of a request. Clients that are configured for a gateway with one path for each vendor may keep it:
// `/openai/v1/…` and `/anthropic/v1/…` mean `/v1/…`.

const prefix = /^\/(?:openai|anthropic)(?=\/v1(?:\/|$))/;

export interface RoutePath {
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

export function toRoutePath(url = '/'): RoutePath {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  return { path: path.replace(prefix, ''), query: mark === -1 ? '' : url.slice(mark + 1) };
}
