// Formats amounts of US dollars.

/** Two significant digits below one dollar. Does not use Intl, whose first call takes 25 ms. */
export function formatDollars(dollars: number): string {
  const digits = dollars >= 1 || dollars <= 0 ? 2 : Math.min(20, 1 - Math.floor(Math.log10(dollars)));
  const [whole = '', part = ''] = dollars.toFixed(digits).split('.');
  const cents = part.replace(/0+$/, '');
  return `$${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}${cents === '' ? '' : `.${cents}`}`;
}
