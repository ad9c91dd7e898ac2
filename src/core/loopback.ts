// Whether a host name means this machine.

/** `host`: without a port, in lower case. An IPv6 address may be in brackets, as in a URL. */
export function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
