// Names of MCP tools: `mcp__SERVER__TOOL`. Invariants: no tool of an agent has such a name, so a server cannot replace one;
// SERVER contains no `__` and no `_` at its ends, so the server of a name is unambiguous and a permission for one server
// never applies to another.

const prefix = 'mcp__';
const longest = 64;
const digestLength = 8;

export function isMcpToolName(name: string): boolean {
  return name.startsWith(prefix);
}

/** Empty if the name has no letter and no digit. */
export function toServerName(name: string): string {
  return name
    .replaceAll(/[^a-zA-Z0-9-]+/g, '_')
    .replaceAll(/^[_-]+|[_-]+$/g, '')
    .slice(0, 32)
    .replace(/[_-]+$/, '');
}

/** A name that is too long for providers ends with a digest, so that it stays unique and is the same in every run. */
export function toToolName(server: string, tool: string): string {
  const name = `${prefix}${toServerName(server)}__${tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`;
  if (name.length <= longest) return name;
  return `${name.slice(0, longest - digestLength - 1)}_${digest(tool)}`;
}

/** FNV-1a. It separates long names and protects nothing. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash.toString(16).padStart(digestLength, '0');
}
