// Decoding a stream of 10,000 events: our decoders compared with the official SDKs and the AI SDK, in events per second of
// CPU time, with one event per chunk and with the same bytes split anywhere. `--check` exits with 1 if a bar is missed,
// `--rounds=N` sets the number of rounds.

import { parseArgs } from 'node:util';

import { anthropicContenders, openaiContenders, responsesContenders, type Contender } from './stream/contender.ts';
import { measure, type Measured } from './stream/measure.ts';
import { recordAnthropic, recordOpenAi, recordResponses, type Recording } from './stream/recording.ts';

interface Wire {
  readonly name: string;
  readonly recording: Recording;
  readonly contenders: readonly Contender[];
  /** The minimum speed of our state machine, relative to the fastest peer. */
  readonly bar: number;
}

const events = 10_000;
const wires: readonly Wire[] = [
  { name: 'anthropic-messages', recording: recordAnthropic(events), contenders: anthropicContenders, bar: 1.5 },
  { name: 'openai-chat', recording: recordOpenAi(events), contenders: openaiContenders, bar: 2 },
  { name: 'openai-responses', recording: recordResponses(events), contenders: responsesContenders, bar: 2 },
];

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, rounds: { type: 'string', default: '11' } },
});

for (const { name, recording, contenders, bar } of wires) {
  for (const cut of ['single', 'packed'] as const) {
    const chunks = recording[cut];
    const measured = await measure(contenders, { ...recording, chunks }, Number(values.rounds));
    console.log(`\n${name}: ${events} events in ${chunks.length} chunks\n`);
    const passed = report(measured, bar);
    if (values.check && !passed) process.exitCode = 1;
  }
}

/** Returns whether the bar is met. */
function report(measured: readonly Measured[], bar: number): boolean {
  const peer = Math.max(...rates(measured, 'peer'));
  const [floor = Number.NaN] = rates(measured, 'floor');
  const [machine = Number.NaN] = rates(measured, 'machine');
  console.log(`${''.padEnd(40)}  events/CPU-s  × fastest peer  × floor`);
  for (const { contender, eventsPerSecond: rate } of measured) {
    const columns = [
      contender.name.padEnd(40),
      Math.round(rate).toLocaleString('en').padStart(12),
      (rate / peer).toFixed(2).padStart(14),
      (rate / floor).toFixed(2).padStart(7),
    ];
    console.log(columns.join('  '));
  }
  const ratio = machine / peer;
  const passed = ratio >= bar;
  console.log(
    `\n${passed ? 'PASS' : 'FAIL'}: the machine is ${ratio.toFixed(2)} × as fast as the fastest peer, bar ${bar} ×`,
  );
  return passed;
}

function rates(measured: readonly Measured[], kind: Contender['kind']): number[] {
  return measured.filter(({ contender }) => contender.kind === kind).map(({ eventsPerSecond }) => eventsPerSecond);
}
