// Parses numbers as people write them. An ambiguous number is not parsed.

export interface ParsedNumber {
  readonly value: number | bigint;
  /** Not written as JSON would write it. */
  readonly loose: boolean;
  readonly rounded?: true;
}

const plain = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const grouped = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const decimalComma = /^[+-]?\d+,\d{1,2}$/;
const fraction = /^([+-]?\d+)\s*\/\s*(\d+)$/;
const money = String.raw`(?:(?:US|CA|A|NZ)?\$|[€£¥₹₩₺₽₪]|USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|SEK|NOK|DKK|PLN|BRL|MXN)?`;
const currency = new RegExp(String.raw`^([+-]?)\s*${money}\s*(.*?)\s*${money}$`, 'i');

/** Longer texts are not parsed as currencies or fractions, because those expressions take more than linear time. */
const maxLength = 400;

/** Parses a text as a number; `undefined` if it is not a number or is ambiguous. */
export function parseWrittenNumber(text: string, integer: boolean): ParsedNumber | undefined {
  let trimmed = text.trim();
  if (/[.,;]$/.test(trimmed)) trimmed = trimmed.slice(0, -1).trimEnd();
  const loose = !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  const percent = trimmed.endsWith('%');
  if (percent) trimmed = trimmed.slice(0, -1).trim();
  const [, sign = '', amount = ''] = trimmed.length > maxLength ? [] : (currency.exec(trimmed) ?? []);
  const value = readAmount(trimmed.length > maxLength ? trimmed : sign + amount.replaceAll('_', ''), integer);
  if (value === undefined || !Number.isFinite(value)) return undefined;
  return roundIfInteger(value, integer, loose || percent);
}

function readAmount(text: string, integer: boolean): number | undefined {
  if (plain.test(text)) return Number(text);
  if (text.length > maxLength) return undefined;
  if (grouped.test(text)) return Number(text.replaceAll(',', ''));
  // Three digits after a comma may be a group of thousands; one or two are a fraction.
  if (decimalComma.test(text)) return integer ? undefined : Number(text.replace(',', '.'));
  const [, above, below] = fraction.exec(text) ?? [];
  if (above === undefined || below === undefined || integer || Number(below) === 0) return undefined;
  return Number(above) / Number(below);
}

function roundIfInteger(value: number, integer: boolean, loose: boolean): ParsedNumber {
  if (!integer || Number.isInteger(value)) return { value, loose };
  return { value: Math.round(value), loose: true, rounded: true };
}

const maxDigits = 10_000;

/** Parses an integer of up to `maxDigits` digits. */
export function parseBigInt(text: string): bigint | undefined {
  const digits = text.trim().replaceAll('_', '').replace(/n$/, '').replace(/\.0+$/, '');
  if (digits.length > maxDigits || !/^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)$/.test(digits)) return undefined;
  return BigInt(digits.replaceAll(',', '').replace(/^\+/, ''));
}
