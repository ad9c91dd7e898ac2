// Counts and distributions in the text format of Prometheus. Written by hand: the format is a few lines, and the usual
// package brings an estimator of quantiles and a tracing API for it.
// Invariant: label values come from callers, so each metric keeps a limited number of series; the rest share one.

export type Labels = Readonly<Record<string, string>>;

const mostSeries = 500;

/**
 * Where a metric's values are kept, by the values of its labels, which always come in the same order. Their text is
 * made once: making it for each count took a tenth of a request's time.
 */
class Series<T> {
  readonly #values = new Map<string, { readonly labels: string; readonly value: T }>();
  readonly #create: () => T;

  constructor(create: () => T) {
    this.#create = create;
  }

  at(labels: Labels): T {
    let key = '';
    for (const name in labels) key += `${labels[name]}\n`;
    return (this.#values.get(key) ?? this.#add(key, labels)).value;
  }

  *entries(): Iterable<[labels: string, value: T]> {
    for (const { labels, value } of this.#values.values()) yield [labels, value];
  }

  #add(key: string, labels: Labels): { readonly labels: string; readonly value: T } {
    if (this.#values.size >= mostSeries && key !== otherKey) {
      return (
        this.#values.get(otherKey) ??
        this.#add(
          otherKey,
          mapValues(labels, () => 'other'),
        )
      );
    }
    const entry = { labels: render(labels), value: this.#create() };
    this.#values.set(key, entry);
    return entry;
  }
}

const otherKey = 'other';

export interface Metric {
  render(): string;
}

export class Counter implements Metric {
  readonly #head: string;
  readonly #name: string;
  readonly #series = new Series(() => ({ value: 0 }));

  constructor(name: string, help: string) {
    this.#name = name;
    this.#head = head(name, help, 'counter');
  }

  add(labels: Labels, amount = 1): void {
    this.#series.at(labels).value += amount;
  }

  render(): string {
    let text = this.#head;
    for (const [labels, { value }] of this.#series.entries()) text += line(this.#name, labels, value);
    return text;
  }
}

export class Gauge implements Metric {
  readonly #head: string;
  readonly #name: string;
  readonly #series = new Series(() => ({ value: 0 }));

  constructor(name: string, help: string) {
    this.#name = name;
    this.#head = head(name, help, 'gauge');
  }

  set(labels: Labels, value: number): void {
    this.#series.at(labels).value = value;
  }

  render(): string {
    let text = this.#head;
    for (const [labels, { value }] of this.#series.entries()) text += line(this.#name, labels, value);
    return text;
  }
}

export class Histogram implements Metric {
  readonly #head: string;
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #series: Series<{ readonly counts: number[]; sum: number; count: number }>;

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#bounds = bounds;
    this.#head = head(name, help, 'histogram');
    this.#series = new Series(() => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }));
  }

  observe(labels: Labels, value: number): void {
    const series = this.#series.at(labels);
    const place = this.#bounds.findIndex((bound) => value <= bound);
    if (place !== -1) series.counts[place] = (series.counts[place] ?? 0) + 1;
    series.sum += value;
    series.count++;
  }

  render(): string {
    let text = this.#head;
    for (const [labels, { counts, sum, count }] of this.#series.entries()) {
      let total = 0;
      for (const [place, bound] of this.#bounds.entries()) {
        total += counts[place] ?? 0;
        text += line(`${this.#name}_bucket`, joined(labels, `le="${bound}"`), total);
      }
      text += line(`${this.#name}_bucket`, joined(labels, 'le="+Inf"'), count);
      text += line(`${this.#name}_sum`, labels, sum) + line(`${this.#name}_count`, labels, count);
    }
    return text;
  }
}

function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`;
}

function joined(labels: string, more: string): string {
  return labels === '' ? more : `${labels},${more}`;
}

function render(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escape(value)}"`)
    .join(',');
}

function escape(value: string): string {
  return value
    .slice(0, 200)
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}

function mapValues(labels: Labels, to: () => string): Labels {
  return Object.fromEntries(Object.keys(labels).map((name) => [name, to()]));
}
