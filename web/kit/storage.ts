// Values kept in this browser. A browser that refuses storage keeps them until the page is closed.

const prefix = 'simple-agents.';
const fallback = new Map<string, string>();

export function readStored(key: string): unknown {
  const text = readText(prefix + key);
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns whether the browser will still have the value after the page is closed. */
export function store(key: string, value: unknown): boolean {
  const text = JSON.stringify(value);
  fallback.set(prefix + key, text);
  try {
    localStorage.setItem(prefix + key, text);
    return true;
  } catch {
    return false;
  }
}

function readText(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? fallback.get(key) ?? null;
  } catch {
    return fallback.get(key) ?? null;
  }
}
