// Numbers as people write them. What could be read in two ways is not read at all.

export interface ParsedNumber {
  readonly value: number | bigint;
  /** Written otherwise than JSON would. */
  readonly loose: boolean;
  readonly rounded?: true;
}

const plain = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const grouped = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const decimalComma = /^[+-]?\d+,\d{1,2}$/;
const fraction = /^([+-]?\d+)\s*\/\s*(\d+)$/;
const currency = /^([+-]?)\s*(?:[$€£¥₹]|USD|EUR|GBP)?\s*(.*?)\s*(?:[$€£¥₹]|USD|EUR|GBP)?$/i;

/** A longer text is not looked through for a currency or a fraction, which takes more than linear time. */
const maxLength = 400;

/** The number a text is, for a place that wants one; nothing when it is none, or more than one thing. */
export function parseWrittenNumber(text: string, integer: boolean): ParsedNumber | undefined {
  let trimmed = text.trim().replace(/\.$/, '');
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
  // Three digits behind a comma could be a group as well; one or two are a fraction.
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

/** An integer of up to ten thousand digits. */
export function parseBigInt(text: string): bigint | undefined {
  const digits = text.trim().replaceAll('_', '').replace(/n$/, '').replace(/\.0+$/, '');
  if (digits.length > maxDigits || !/^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)$/.test(digits)) return undefined;
  return BigInt(digits.replaceAll(',', '').replace(/^\+/, ''));
}
