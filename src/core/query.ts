// The query of a URL without some of its parameters. The others stay as they were written.

/** `query` has no question mark. */
export function filterQuery(query: string, keeps: (name: string) => boolean): string {
  const parts = query.split('&').filter((part) => part !== '');
  return parts.filter((part) => [...new URLSearchParams(part).keys()].every(keeps)).join('&');
}
