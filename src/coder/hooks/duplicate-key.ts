// Whether a JSON text names a member twice in one object. Parsers keep the last one silently, so
// {"action":"block","action":"allow"} would be read as a permission.

/** `text` must be valid JSON. Keys are compared as they are read: "\\u0061ction" is "action". */
export function hasDuplicateKey(text: string): boolean {
  const objects: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    if (token === '{' || token === '[') objects.push(token === '{' ? new Set() : undefined);
    else if (token === '}' || token === ']') objects.pop();
    else if (token.startsWith('"') && isKeyNext && isKnown(objects.at(-1), token)) return true;
    isKeyNext = token === '{' || (token === ',' && objects.at(-1) !== undefined);
  }
  return false;
}

function isKnown(keys: Set<string> | undefined, token: string): boolean {
  const key = String(JSON.parse(token));
  const isThere = keys?.has(key) ?? false;
  keys?.add(key);
  return isThere;
}
