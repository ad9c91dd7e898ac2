// Numbers as a reader wants them.

export function formatDuration(milliseconds: number): string {
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function formatCount(count: number): string {
  return compact.format(count);
}

/** US dollars. Small amounts keep two significant digits. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return '$0';
  if (dollars >= 0.01) return `$${dollars.toFixed(2)}`;
  return `$${dollars.toFixed(Math.min(12, 1 - Math.floor(Math.log10(dollars))))}`;
}
