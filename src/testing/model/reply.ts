// Composes the reply of the simulated model when no script provides one. It has no understanding: it looks for a greeting,
// a count or the names of tools, and builds its reply from the request. It always says that it is simulated.

import type { JsonSchema } from '../../core/json.ts';
import { textOf, type Block, type Message, type ToolCallBlock, type ToolResultBlock } from '../../core/message.ts';
import { isOpaqueTool, type ChatRequest, type ResponseFormat, type ToolDefinition } from '../../core/request.ts';
import type { StopReason } from '../../core/event.ts';
import type { Random } from './random.ts';
import { SampleBudget } from '../sample/sample-budget.ts';
import { noHints, sampleValue, type Hints } from '../sample/sample.ts';
import { schemaSizeProblem, toolSubject } from '../sample/schema-limit.ts';

export interface Reply {
  readonly blocks: readonly ReplyBlock[];
  readonly stopReason?: StopReason;
  readonly stopSequence?: string;
  readonly interleave?: boolean;
}

/** Tool arguments are text, because they may be damaged, cut off or not JSON. */
export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string; readonly isJson?: true }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly name: string; readonly id?: string; readonly json: string };

const introduction = 'I am the simulated model built into SimpleAgents: no key, no network';
const highestCount = 1000;
/** Hints are taken from this many characters of a message, because every part of a schema is compared with them. */
const mostHintText = 10_000;

export function composeReply(request: ChatRequest, random: Random): Reply {
  const blocks = composeBlocks(request, random);
  if (!wantsReasoning(request)) return { blocks };
  return { blocks: [{ type: 'reasoning', text: composeReasoning(request, blocks) }, ...blocks] };
}

function composeBlocks(request: ChatRequest, random: Random): ReplyBlock[] {
  const tools = chooseTools(request, random);
  if (tools.length > 0) return composeCalls(request, tools, random);
  const responseFormat = request.responseFormat ?? formatInWords(request);
  if (responseFormat?.type === 'json-schema') {
    const hints = hintsOf(lastWords(request));
    const origin =
      request.responseFormat === undefined ? schemaInWords : { subject: 'response_format', field: 'response_format' };
    return [jsonBlock(sampleValue(responseFormat.schema, random, { hints, ...origin }))];
  }
  if (responseFormat?.type === 'json') {
    return [jsonBlock({ simulated: true, answer: composeText(request, random) })];
  }
  return [{ type: 'text', text: composeText(request, random) }];
}

const schemaInWords = { subject: 'the JSON Schema of the system message', field: 'messages' };

/** Like a real model, follows a system message that demands “JSON only”, and a schema in it. */
function formatInWords({ messages }: ChatRequest): ResponseFormat | undefined {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content));
  const words = system.join('\n\n');
  if (!/\bJSON only\b/iu.test(words)) return undefined;
  const schema = parseSchema(textAfterMention(words));
  return schema === undefined ? { type: 'json' } : { type: 'json-schema', schema };
}

/** The text from the first brace that begins a paragraph after the words “JSON Schema”. It may be a schema. */
function textAfterMention(words: string): string {
  const mention = words.search(/\bJSON Schema\b/iu);
  const start = mention === -1 ? -1 : words.indexOf('\n\n{', mention);
  return start === -1 ? '' : words.slice(start);
}

/** A schema that is too large is ignored: a real model would not follow it either. */
function parseSchema(text: string): JsonSchema | undefined {
  try {
    const schema = JSON.parse(text) as JsonSchema;
    return schemaSizeProblem(schema) === undefined ? schema : undefined;
  } catch {
    return undefined;
  }
}

function jsonBlock(value: unknown): ReplyBlock {
  return { type: 'text', text: JSON.stringify(value), isJson: true };
}

function composeText(request: ChatRequest, random: Random): string {
  const results = resultsOf(request.messages.at(-1));
  if (results.length > 0) return composeResults(request, results);
  const words = lastWords(request).trim();
  const count = /\bcount\s+(?:up\s+)?(?:from\s+1\s+)?to\s+(\d+)/iu.exec(words)?.[1];
  if (count !== undefined) return countTo(Math.min(Number(count), highestCount));
  const name = /\bwhat(?:'s| is|’s) my name\b/iu.test(words) ? nameIn(request.messages) : undefined;
  if (name !== undefined) return `Your name is ${name}.`;
  const attachments = describeAttachments(request.messages.at(-1)?.content ?? []);
  if (words === '' && attachments === '')
    return `${introduction}. Your message is empty; write something and I will repeat it.`;
  if (/^(?:hello|hi|hey|good (?:morning|day|evening))\b/iu.test(words))
    return `Hello! ${introduction}. ${suggestion(random)}`;
  const said = words === '' ? '' : ` You said: “${shorten(words, 400)}”.`;
  return `${introduction}, and no understanding either.${said}${attachments} ${suggestion(random)}`;
}

function suggestion(random: Random): string {
  return random.pick([
    'Ask me to count to 10, offer me a tool and name it, or ask for JSON with a schema.',
    'Try “Count to 5”, or send a JSON Schema and I will fill it in.',
    'Give me a tool and mention its name, and I will call it.',
  ]);
}

/** The name that the user gave in the conversation, so that a test can see whether the model has all of it. */
function nameIn(messages: readonly Message[]): string | undefined {
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content));
  return /\bmy name is (\p{L}[\p{L}\p{N}'’-]*)/iu.exec(said.join('\n'))?.[1];
}

function countTo(last: number): string {
  return last < 1 ? 'There is nothing to count.' : Array.from({ length: last }, (_, index) => index + 1).join(', ');
}

function describeAttachments(content: readonly Block[]): string {
  const names = content.flatMap((block) => {
    if (block.type === 'image' || block.type === 'document') return [`${block.type} (${sourceOf(block.source)})`];
    return block.type === 'audio' ? [`audio (${block.format})`] : [];
  });
  return names.length === 0 ? '' : ` You attached ${names.length}: ${names.join(', ')}.`;
}

function sourceOf(source: { readonly kind: string; readonly mediaType?: string }): string {
  return source.mediaType ?? source.kind;
}

function composeResults(request: ChatRequest, results: readonly ToolResultBlock[]): string {
  const names = new Map(callsOf(request.messages).map(({ id, name }) => [id, name]));
  const sentences = results.map(({ callId, content, isError }) => {
    const result = shorten(textOf(content).trim(), 1000) || '(no text)';
    return `${names.get(callId) ?? callId} ${isError === true ? 'failed with' : 'answered'}: ${result}`;
  });
  return `${sentences.join('\n')}\n(Reported by the simulated model.)`;
}

/** The tools to call: the forced one, or those the user's message mentions. After tool results, only a forced one. */
function chooseTools(request: ChatRequest, random: Random): ToolDefinition[] {
  const offered = (request.tools ?? []).flatMap((tool) => (isOpaqueTool(tool) ? [] : [tool]));
  const { toolChoice = 'auto' } = request;
  if (typeof toolChoice === 'object') return offered.filter(({ name }) => name === toolChoice.name);
  if (toolChoice === 'none' || offered.length === 0) return [];
  const answered = resultsOf(request.messages.at(-1)).length > 0;
  const words = lastWords(request).toLowerCase();
  const mentioned = answered ? [] : offered.filter(({ name }) => isMentioned(name, words));
  const chosen = mentioned.length === 0 && toolChoice === 'required' ? [random.pick(offered)] : mentioned;
  return request.parallelToolCalls === false ? chosen.slice(0, 1) : chosen;
}

const fillers = new Set([
  'a',
  'an',
  'by',
  'create',
  'do',
  'fetch',
  'find',
  'for',
  'get',
  'list',
  'make',
  'of',
  'run',
  'set',
  'show',
  'the',
  'to',
]);

/** `get_weather` is mentioned by its name, or by all its words but the common ones: “the weather”. */
function isMentioned(name: string, words: string): boolean {
  if (words.includes(name.toLowerCase())) return true;
  const parts = name
    .replaceAll(/([a-z])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  const significant = parts.filter((part) => !fillers.has(part));
  const mentioned = new Set(words.split(/[^\p{L}\p{N}]+/u));
  return significant.length > 0 && significant.every((part) => mentioned.has(part));
}

function composeCalls(request: ChatRequest, tools: readonly ToolDefinition[], random: Random): ReplyBlock[] {
  const shared = { hints: hintsOf(lastWords(request)), budget: new SampleBudget(), field: 'tools' };
  const calls = tools.map(({ name, inputSchema }): ReplyBlock => {
    const options = { ...shared, subject: toolSubject(name) };
    return {
      type: 'tool-call',
      name,
      json: JSON.stringify(sampleValue({ type: 'object', ...inputSchema }, random, options)),
    };
  });
  // Real models write nothing before a forced call.
  if (typeof request.toolChoice === 'object' || request.toolChoice === 'required') return calls;
  const names = tools.map(({ name }) => name).join(' and ');
  return [{ type: 'text', text: `The simulated model calls ${names}.` }, ...calls];
}

function composeReasoning(request: ChatRequest, blocks: readonly ReplyBlock[]): string {
  const calls = blocks.flatMap((block) => (block.type === 'tool-call' ? [block.name] : []));
  const next = calls.length > 0 ? `I call ${calls.join(' and ')}` : 'I answer without a tool';
  return `The last message says “${shorten(lastWords(request).trim(), 120)}”. ${next}. This thought is simulated.`;
}

function wantsReasoning({ reasoning }: ChatRequest): boolean {
  if (reasoning === undefined) return false;
  return reasoning.budgetTokens !== undefined || (reasoning.effort !== undefined && reasoning.effort !== 'none');
}

/** Quoted words first, then capitalized ones that do not begin a sentence; every number. */
function hintsOf(message: string): Hints {
  if (message === '') return noHints();
  const words = message.slice(0, mostHintText);
  const quoted = [...words.matchAll(/["“']([^"”']{1,80})["”']/gu)].map((found) => found[1]!);
  const names = [...words.matchAll(/(?<=[\p{Ll}\d,;:]\s)\p{Lu}[\p{L}-]*(?:\s\p{Lu}[\p{L}-]*)*/gu)].map(
    ([name]) => name,
  );
  const numbers = [...words.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]\d)/gu)].map(([digits]) => Number(digits));
  return { text: words.toLowerCase(), strings: [...new Set([...quoted, ...names])], numbers };
}

function lastWords({ messages }: ChatRequest): string {
  return textOf(messages.findLast(({ role }) => role === 'user')?.content ?? []);
}

function resultsOf(message: Message | undefined): ToolResultBlock[] {
  return (message?.content ?? []).filter((block) => block.type === 'tool-result');
}

function callsOf(messages: readonly Message[]): ToolCallBlock[] {
  return messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool-call'));
}

function shorten(words: string, longest: number): string {
  const characters = Array.from(words);
  return characters.length <= longest ? words : `${characters.slice(0, longest).join('')}…`;
}
