// Resolves the URI references that schemas use, by RFC 3986. `URL` is not used, because not every engine that runs
// healing has it, and because it rejects relative base URIs.

const scheme = /^[a-z][a-z\d+.-]*:/i;
const origin = /^(?:[a-z][a-z\d+.-]*:)?(?:\/\/[^/]*)?/i;

/** Neither argument has a fragment. */
export function resolveUri(base: string, reference: string): string {
  if (reference === '') return base;
  if (scheme.test(reference)) return reference;
  if (reference.startsWith('//')) return `${scheme.exec(base)?.[0] ?? ''}${reference}`;
  const [start = ''] = origin.exec(base) ?? [];
  if (reference.startsWith('/')) return start + withoutDots(reference);
  const folder = base.slice(start.length, base.lastIndexOf('/') + 1);
  return start + withoutDots(`${folder === '' && start.includes('//') ? '/' : folder}${reference}`);
}

function withoutDots(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 1) parts.pop();
    else if (part !== '.' && part !== '..') parts.push(part);
  }
  return parts.join('/');
}

/** Splits a reference into the URI and the fragment after `#`. */
export function splitFragment(reference: string): readonly [uri: string, fragment: string] {
  const at = reference.indexOf('#');
  return at === -1 ? [reference, ''] : [reference.slice(0, at), reference.slice(at + 1)];
}
