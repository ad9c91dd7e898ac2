// Counters, gauges and histograms in the text format of Prometheus. Written here because the format is a few lines, and
// the usual package brings a quantile estimator and a tracing API with it.
// Invariant: each metric has a limited number of series; beyond the limit, all share one. Callers never use a name that
// clients choose as a label, so only many keys and models can reach the limit.

export type Labels = Readonly<Record<string, string>>;

const mostSeries = 5000;

interface SeriesEntry<T> {
  readonly labels: string;
  readonly value: T;
}

/** The values of a metric by its label values. The labels of a metric always have the same order. */
class Series<T> {
  readonly #entries = new Map<string, SeriesEntry<T>>();
  readonly #create: () => T;

  constructor(create: () => T) {
    this.#create = create;
  }

  at(labels: Labels): T {
    const key = keyOf(labels);
    return (this.#entries.get(key) ?? this.#add(key, labels)).value;
  }

  entries(): Iterable<SeriesEntry<T>> {
    return this.#entries.values();
  }

  #add(key: string, labels: Labels): SeriesEntry<T> {
    if (this.#entries.size >= mostSeries) return this.#ensureOther(mapValues(labels, () => 'other'));
    const entry = { labels: render(labels), value: this.#create() };
    this.#entries.set(key, entry);
    return entry;
  }

  #ensureOther(labels: Labels): SeriesEntry<T> {
    const key = keyOf(labels);
    const entry = this.#entries.get(key) ?? { labels: render(labels), value: this.#create() };
    this.#entries.set(key, entry);
    return entry;
  }
}

function keyOf(labels: Labels): string {
  return Object.values(labels).join('\0');
}

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
    for (const { labels, value } of this.#series.entries()) text += line(this.#name, labels, value.value);
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
    for (const { labels, value } of this.#series.entries()) text += line(this.#name, labels, value.value);
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
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket++;
    if (bucket < this.#bounds.length) series.counts[bucket]! += 1;
    series.sum += value;
    series.count++;
  }

  render(): string {
    let text = this.#head;
    for (const { labels, value } of this.#series.entries()) {
      const { counts, sum, count } = value;
      let total = 0;
      for (const [bucket, bound] of this.#bounds.entries()) {
        total += counts[bucket] ?? 0;
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
  let text = '';
  for (const name of Object.keys(labels)) {
    text += `${text === '' ? '' : ','}${name}="${escape(labels[name] ?? '')}"`;
  }
  return text;
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
