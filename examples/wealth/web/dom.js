// Helpers to create elements. Text is always inserted as text, so model output is never parsed as HTML.

const svgNamespace = 'http://www.w3.org/2000/svg';

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} name
 * @param {Partial<Record<'className' | 'type' | 'value', string>>} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

/**
 * @param {string} name
 * @param {Readonly<Record<string, string | number>>} attributes
 * @param {...(Node | string)} children
 */
export function svgElement(name, attributes, ...children) {
  const made = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}

const format = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' });
const roundFormat = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR', maximumFractionDigits: 0 });

/** @param {number} amount */
export function money(amount) {
  return format.format(amount);
}

/** @param {number} amount */
export function roundMoney(amount) {
  return roundFormat.format(amount);
}

/**
 * `November 2026` for `2026-11`.
 * @param {string} month
 * @param {'long' | 'short'} [length]
 */
export function monthName(month, length = 'long') {
  const date = new Date(`${month}-15T12:00:00Z`);
  return new Intl.DateTimeFormat('en', { month: length, ...(length === 'long' ? { year: 'numeric' } : {}) }).format(
    date,
  );
}

/**
 * The server's JSON, or undefined if the request failed.
 * @template T
 * @param {string} path
 * @returns {Promise<T | undefined>}
 */
export async function fetchJson(path) {
  const response = await fetch(path);
  return response.ok ? response.json() : undefined;
}
