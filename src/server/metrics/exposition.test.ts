// The text format of Prometheus.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Counter, Gauge, Histogram } from './exposition.ts';

test('counters, gauges and histograms', () => {
  const counter = new Counter('c_total', 'Things.');
  counter.add({ kind: 'a' });
  counter.add({ kind: 'a' }, 2);
  counter.add({ kind: 'quote " slash \\ line\n' });
  assert.equal(
    counter.render(),
    '# HELP c_total Things.\n# TYPE c_total counter\nc_total{kind="a"} 3\nc_total{kind="quote \\" slash \\\\ line\\n"} 1\n',
  );
  const gauge = new Gauge('g', 'Now.');
  gauge.set({}, 7);
  assert.equal(gauge.render(), '# HELP g Now.\n# TYPE g gauge\ng 7\n');
  const histogram = new Histogram('h', 'Long.', [1, 2]);
  for (const value of [0.5, 1, 1.5, 9]) histogram.observe({ x: 'y' }, value);
  assert.equal(
    histogram.render().split('\n').slice(2).join('\n'),
    'h_bucket{x="y",le="1"} 2\nh_bucket{x="y",le="2"} 3\nh_bucket{x="y",le="+Inf"} 4\nh_sum{x="y"} 12\nh_count{x="y"} 4\n',
  );
});

test('series beyond the limit share one', () => {
  const counter = new Counter('c', 'Things.');
  for (let number = 0; number < 7000; number++) counter.add({ model: `m${number}` });
  const lines = counter.render().split('\n');
  assert.ok(lines.length < 5020);
  assert.match(lines.at(-2) ?? '', /^c\{model="other"\} 2000$/);
});
