// Decides which hosts bypass the proxy, from a list in the format of the variable NO_PROXY. An entry is a host name, an IP
// address, a network in CIDR notation or `*`; all but a network may end with a port. docs/configuration.md explains each
// form and how curl, Go and Python differ.

export interface ProxyDestination {
  /** A name or an IP address, with or without the brackets of IPv6. */
  readonly hostname: string;
  readonly port: number;
}

export function isProxyBypassed({ hostname, port }: ProxyDestination, noProxy: string): boolean {
  return noProxy.split(/[,\s]+/).some((entry) => {
    const rule = parseEntry(entry);
    return (rule.port === undefined || rule.port === port) && matches(rule.pattern, hostname);
  });
}

/** An IPv6 address without brackets has several colons, so none of them can begin a port. */
function parseEntry(entry: string): { readonly pattern: string; readonly port?: number } {
  const found = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(entry);
  return found === null ? { pattern: entry } : { pattern: found[1] ?? '', port: Number(found[2]) };
}

function matches(pattern: string, hostname: string): boolean {
  if (pattern === '*') return true;
  const address = toAddress(hostname);
  if (address === undefined) return matchesName(pattern, toName(hostname));
  const network = toNetwork(pattern);
  return network !== undefined && isWithin(address, network);
}

function matchesName(pattern: string, host: string): boolean {
  const name = toName(pattern.replace(/^\*?\./, ''));
  if (name === '') return false;
  return host.endsWith(`.${name}`) || (host === name && !pattern.startsWith('*'));
}

/** Normalised like a URL's host: lower case, ASCII, without a trailing dot. Empty if it is not a valid host name. */
function toName(text: string): string {
  if (/[/?#@:\\]/.test(text)) return '';
  return URL.parse(`http://${text}`)?.hostname.replace(/\.$/, '') ?? '';
}

/** 128 bits. IPv4 addresses are mapped into IPv6: `::ffff:10.0.0.1`. */
type Address = bigint;

const addressBits = 128;
const ipv4Bits = 32;
const ipv4Prefix = 0xffffn << BigInt(ipv4Bits);

function toAddress(text: string): Address | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  if (bare.includes(':')) return fromIpv6(URL.parse(`http://[${bare}]`)?.hostname.slice(1, -1));
  const octets = bare.split('.');
  const isIpv4 =
    octets.length === 4 && octets.every((octet) => /^(?:0|[1-9]\d{0,2})$/.test(octet) && Number(octet) < 256);
  return isIpv4 ? octets.reduce((sum, octet) => sum * 256n + BigInt(octet), 0n) + ipv4Prefix : undefined;
}

/** `text` is in the shortest form, as in a parsed URL. */
function fromIpv6(text: string | undefined): Address | undefined {
  if (text === undefined) return undefined;
  const [left = [], right = []] = text.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return BigInt(`0x${[...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join('')}`);
}

interface Network {
  readonly address: Address;
  /** The length of the common prefix of its addresses, of 128 bits. */
  readonly shared: number;
}

/** A single address is a network of one. */
function toNetwork(pattern: string): Network | undefined {
  const [text = '', length, more] = pattern.replaceAll(/[[\]]/g, '').split('/');
  const address = toAddress(text);
  if (address === undefined || more !== undefined) return undefined;
  if (length === undefined) return { address, shared: addressBits };
  const bits = text.includes(':') ? addressBits : ipv4Bits;
  if (!/^\d{1,3}$/.test(length) || Number(length) > bits) return undefined;
  return { address, shared: addressBits - bits + Number(length) };
}

/** A network larger than all of IPv4 matches only IPv6 addresses. */
function isWithin(address: Address, { address: first, shared }: Network): boolean {
  const isIpv4 = address >> BigInt(ipv4Bits) === ipv4Prefix >> BigInt(ipv4Bits);
  if (isIpv4 && shared < addressBits - ipv4Bits) return false;
  const others = BigInt(addressBits - shared);
  return address >> others === first >> others;
}
