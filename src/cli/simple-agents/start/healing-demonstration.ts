// Demonstrates healing: the simulated model streams malformed JSON on the left, the typed value grows on the right, and the
// changes are listed below. Without a terminal, prints the final state of each example.

import { toError } from '../../../core/error.ts';
import { isRecord, type JsonSchema } from '../../../core/json.ts';
import type { Flag } from '../../../heal/index.ts';
import { wait } from '../../../testing/model/pace.ts';
import { createSimulatedProvider } from '../../../testing/model/provider.ts';
import type { ScriptedReply } from '../../../testing/model/script.ts';
import { layOutJson, paintJson } from '../../json-text.ts';
import { painter, write, type Paint, type Terminal, type TerminalOutput } from '../../terminal/terminal.ts';
import { frameOf, widthsOf, wrap } from './panels.ts';
import { describeFlags, summarise } from '../heal/report.ts';
import { createClient } from '../../../node.ts';

export interface DemonstrationPace {
  readonly tokensPerSecond: number;
  /** The pause after each example, so that its result can be read. */
  readonly pauseMs: number;
}

const readable: DemonstrationPace = { tokensPerSecond: 22, pauseMs: 2500 };

const character: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    isAlive: { type: 'boolean' },
    motto: { type: ['string', 'null'] },
    abilities: {
      type: 'array',
      items: {
        type: 'object',
        properties: { title: { type: 'string' }, level: { type: 'integer' } },
        required: ['title', 'level'],
      },
    },
  },
  required: ['name', 'age', 'isAlive', 'motto', 'abilities'],
};

const ada = {
  name: 'Ada Lovelace',
  age: 36,
  isAlive: false,
  motto: null,
  abilities: [
    { title: 'Analysis', level: 9 },
    { title: 'Poetry', level: 10 },
  ],
};

interface HealingExample {
  readonly title: string;
  readonly reply: ScriptedReply;
}

const healingExamples: readonly HealingExample[] = [
  {
    title: 'Prose with brackets around the value',
    reply: {
      text: `In [1] they call her {the first programmer}. Here you are:\n\n${JSON.stringify(ada)}\n\nAsk if {anything} is unclear!`,
    },
  },
  { title: 'Reasoning with a decoy before the value', reply: { json: ada, fault: { damage: 'think-decoy' } } },
  { title: 'Single quotes', reply: { json: ada, fault: { damage: 'single-quotes' } } },
  { title: 'Literals of another language', reply: { json: ada, fault: { damage: 'python-literals' } } },
  { title: 'A missing comma', reply: { json: ada, fault: { damage: 'missing-comma' } } },
  {
    title: 'Different names and types than in the schema',
    reply: {
      text: `\`\`\`json
{
  "Name": "Ada Lovelace",
  "age": "36",
  "is_alive": "no",
  "motto": "N/A",
  "abilities": {"title": "Poetry", "level": "10"},
}
\`\`\``,
    },
  },
  {
    title: 'Cut off in the middle of a word: reported, with less confidence',
    reply: {
      text: '{"name": "Ada Lovelace", "age": 36, "isAlive": false, "motto": "That brain of mine is something more than merely mortal", "abilities": [{"title": "Analysis", "level": 9}, {"title": "Poet',
    },
  },
];

const usage = `In code:          for await (const partial of client.stream({ messages, schema }).partials()) …
At the terminal:  bin/simple-agents heal --schema FILE
`;

export async function demonstrateHealing(terminal: Terminal, signal: AbortSignal, pace = readable): Promise<number> {
  const isTerminal = terminal.stdout.isTTY === true;
  const tokens = isTerminal ? { tokensPerSecond: pace.tokensPerSecond } : {};
  for (const [index, example] of healingExamples.entries()) {
    const provider = createSimulatedProvider({ script: { replies: [example.reply] }, ...tokens });
    const context: ExampleContext = { ...example, number: `${index + 1}/${healingExamples.length}`, terminal, signal };
    const frames = framesOf(createClient({ provider }), signal);
    await (isTerminal ? animate(context, frames) : print(context, frames));
    if (isTerminal) await wait(pace.pauseMs, signal);
  }
  await write(terminal.stdout, usage);
  return 0;
}

interface ExampleContext extends HealingExample {
  readonly number: string;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** What is shown at one moment. */
interface DemonstrationFrame {
  readonly text: string;
  readonly value: unknown;
  /** Known only at the end. */
  readonly verdict?: { readonly flags: readonly Flag[]; readonly confidence: number; readonly problem?: string };
}

async function* framesOf(
  client: ReturnType<typeof createClient>,
  signal: AbortSignal,
): AsyncGenerator<DemonstrationFrame> {
  const stream = client.stream({ messages: 'Describe Ada Lovelace', schema: character, signal });
  let text = '';
  for await (const event of stream) {
    if (event.type !== 'text-delta') continue;
    text += event.text;
    yield { text, value: inSchemaOrder(stream.partialValue) };
  }
  try {
    const { value, flags, confidence } = await stream.final();
    yield { text, value, verdict: { flags, confidence } };
  } catch (thrown) {
    const { message: problem, flags = [], confidence = 0 } = toError(thrown);
    yield {
      text,
      value: inSchemaOrder(stream.partialValue),
      verdict: { flags: flags as readonly Flag[], confidence, problem },
    };
  }
}

/** A partial value has its lists from the start. In the order of the schema, nothing moves when the value is complete. */
function inSchemaOrder(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const names = Object.keys(character['properties'] ?? {}).filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearLine = '\u001b[K';

/** Redraws in place until the example is over, and leaves the last frame on the screen. */
async function animate(context: ExampleContext, frames: AsyncIterable<DemonstrationFrame>): Promise<void> {
  const { stdout, env } = context.terminal;
  const paint = painter(stdout, env);
  const size = sizeOf(stdout);
  let drawn = 0;
  await write(stdout, hideCursor);
  try {
    for await (const view of frames) {
      const lines = renderFrame(context, view, size, paint);
      const back = drawn === 0 ? '' : `\u001b[${drawn}A`;
      drawn = lines.length;
      await write(stdout, `${back}${lines.map((line) => `${line}${clearLine}\n`).join('')}`);
    }
  } finally {
    await write(stdout, showCursor);
  }
}

interface Size {
  readonly width: number;
  /** The height of the panels. */
  readonly height: number;
  /** The number of lines for flags below the panels. */
  readonly flags: number;
}

/** A frame (panels, flags and six more lines) must fit on the screen, because it is redrawn in place. */
function sizeOf({ columns = 80, rows = 24 }: TerminalOutput): Size {
  const height = Math.max(4, Math.min(12, rows - 9));
  return { width: Math.min(columns, 120), height, flags: Math.max(1, Math.min(10, rows - height - 6)) };
}

function renderFrame(
  { title, number }: ExampleContext,
  { text, value, verdict }: DemonstrationFrame,
  size: Size,
  paint: Paint,
): string[] {
  const [leftWidth, rightWidth] = widthsOf(size.width);
  const frame = frameOf(
    { title: 'the model writes', lines: wrap(verdict === undefined ? `${text}▌` : text, leftWidth) },
    { title: 'your program has', lines: showValue(value, rightWidth, paint) },
    size,
    paint,
  );
  return [`${paint('bold', title)} ${paint('dim', number)}`, ...frame, ...conclude(verdict, size, paint), ''];
}

function showValue(value: unknown, width: number, paint: Paint): string[] {
  if (value === undefined) return [paint('dim', 'nothing yet')];
  return wrap(layOutJson(value, width), width).map((line) => paintJson(line, paint));
}

/** Always the same number of lines, so that the frame does not move. */
function conclude(verdict: DemonstrationFrame['verdict'], { width, flags }: Size, paint: Paint): string[] {
  const lines =
    verdict === undefined ? [paint('dim', 'streaming …')] : describeVerdict(verdict, { width, flags }, paint);
  return Array.from({ length: flags + 1 }, (_, row) => lines[row] ?? '');
}

function describeVerdict(
  { flags, confidence, problem }: NonNullable<DemonstrationFrame['verdict']>,
  limits: Pick<Size, 'width' | 'flags'>,
  paint: Paint,
): string[] {
  const headline = problem === undefined ? summarise(flags, confidence, paint) : paint('red', problem);
  const list = describeFlags(flags, paint, limits.width).trimEnd().split('\n');
  if (list.length <= limits.flags) return [headline, ...list];
  const rest = list.length - limits.flags + 1;
  return [headline, ...list.slice(0, limits.flags - 1), paint('dim', `  and ${rest} more`)];
}

const unlimited = { width: Number.POSITIVE_INFINITY, flags: Number.POSITIVE_INFINITY };

async function print(
  { title, number, terminal }: ExampleContext,
  frames: AsyncIterable<DemonstrationFrame>,
): Promise<void> {
  const { stdout, env } = terminal;
  const paint = painter(stdout, env);
  let last: DemonstrationFrame = { text: '', value: undefined };
  for await (const view of frames) last = view;
  const { text, value, verdict } = last;
  const lines = [
    `${paint('bold', title)} ${paint('dim', number)}`,
    ...indent('the model writes', text),
    ...indent('your program has', paintJson(layOutJson(value, 76), paint)),
    ...(verdict === undefined ? [] : describeVerdict(verdict, unlimited, paint)),
  ];
  await write(stdout, `${lines.join('\n')}\n\n`);
}

function indent(title: string, text: string): string[] {
  return [`  ${title}:`, ...text.split('\n').map((line) => `    ${line}`)];
}
