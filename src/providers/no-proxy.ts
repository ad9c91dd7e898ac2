// Which hosts are reached without the proxy, by a list as the variable NO_PROXY has it. Knows nothing of connections.
// An entry is a host name, an IP address, a network in CIDR notation or `*`; all but a network may end with a port.
// docs/configuration.md says what each form means and how curl, Go and Python differ.

export interface ProxyDestination {
  /** A name or an IP address, with or without the brackets of IPv6. */
  readonly hostname: string;
  readonly port: number;
}

export function isProxyBypassed({ hostname, port }: ProxyDestination, noProxy: string): boolean {
  const host = toHost(hostname);
  return noProxy.split(/[,\s]+/).some((entry) => {
    const rule = parseEntry(entry);
    return (rule.port === undefined || rule.port === port) && matches(rule, host);
  });
}

interface Entry {
  readonly pattern: string;
  readonly port?: number;
}

/** An IPv6 address without brackets has several colons, so none of them can begin a port. */
function parseEntry(entry: string): Entry {
  const found = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(entry);
  return found === null ? { pattern: entry } : { pattern: found[1] ?? '', port: Number(found[2]) };
}

function matches({ pattern }: Entry, host: Host): boolean {
  if (pattern === '') return false;
  if (pattern === '*') return true;
  const network = /^(.+)\/(\d{1,3})$/.exec(pattern.replaceAll(/[[\]]/g, ''));
  if (network !== null) return isWithin(host, toHost(network[1] ?? ''), Number(network[2]));
  const { name, family } = toHost(pattern.replace(/^\*?\./, ''));
  if (name === '') return false;
  if (family !== undefined || host.family !== undefined) return name === host.name;
  return host.name.endsWith(`.${name}`) || (host.name === name && !pattern.startsWith('*'));
}

interface Host {
  /** In small letters, without a dot at the end; an IP address in its shortest form. */
  readonly name: string;
  /** Nothing for a name. */
  readonly family?: 'ipv4' | 'ipv6';
  /** An IPv4 address was written as IPv6. */
  readonly isMapped?: true;
}

function toHost(text: string): Host {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  const { isIP } = process.getBuiltinModule('node:net');
  const { domainToASCII } = process.getBuiltinModule('node:url');
  const version = isIP(bare);
  if (version === 4) return { name: bare, family: 'ipv4' };
  if (version === 6) return toIpv6(new URL(`http://[${bare}]`).hostname.slice(1, -1));
  // A URL has names in small letters and ASCII, so a name of the list must be, too. What is not a name becomes empty.
  const name = /[/?#@\\]/.test(bare) ? bare : domainToASCII(bare);
  return { name: name.replace(/\.$/, '') };
}

/** `::ffff:a00:1` is 10.0.0.1. */
function toIpv6(address: string): Host {
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(address);
  if (mapped === null) return { name: address, family: 'ipv6' };
  const [high, low] = [mapped[1], mapped[2]].map((group) => Number.parseInt(group ?? '0', 16)) as [number, number];
  return { name: [high >> 8, high & 255, low >> 8, low & 255].join('.'), family: 'ipv4', isMapped: true };
}

function isWithin(host: Host, network: Host, length: number): boolean {
  const { family } = network;
  // The first 96 bits of an IPv4 address that is written as IPv6 are the same for all of them.
  const prefix = network.isMapped ? length - 96 : length;
  if (family === undefined || host.family !== family || prefix < 0 || prefix > (family === 'ipv4' ? 32 : 128))
    return false;
  const { BlockList } = process.getBuiltinModule('node:net');
  const list = new BlockList();
  list.addSubnet(network.name, prefix, family);
  return list.check(host.name, family);
}
