// Decodes the contents of a conversation of Google's Gemini wire into messages. Strict, as `server-request.ts`. Parts that
// are newer than this file become opaque blocks.

import { omitUndefined, type JsonValue } from '../../core/json.ts';
import type {
  Block,
  Message,
  ReasoningBlock,
  TextBlock,
  ToolCallBlock,
  ToolResultBlock,
  WireExtra,
} from '../../core/message.ts';
import { unknownMembers, type JsonField } from '../json-field.ts';
import { isPlainOutput } from './client-request.ts';
import { decodeSignature, type DecodedSignature } from './signature.ts';
import { decodeBlob, toCallId, wireName } from './types.ts';

const origin = { wire: wireName };

export function decodeContents(field: JsonField): Message[] {
  // The API also accepts one content without a list.
  const contents = Array.isArray(field.value) ? field.items() : [field];
  const calls = new CallMatcher();
  return contents.map((content, index) => decodeContent(content, index, calls));
}

const roles = ['user', 'model', 'function'] as const;

function decodeContent(field: JsonField, turn: number, calls: CallMatcher): Message {
  const role = field.optionalMember('role', (value) => (value.value === '' ? 'user' : value.oneOf(roles))) ?? 'user';
  const content: Block[] = [];
  for (const [at, part] of field.get('parts').items().entries()) {
    const signature = part.optionalMember('thoughtSignature', decodeSignature);
    const block = decodePart(part, { id: toCallId(turn, at), calls });
    // The thinking before a part. In the middle of a text, or without content, the signature follows.
    const isBefore = block !== undefined && block.type !== 'reasoning' && !(isText(block) && isText(content.at(-1)));
    if (signature && isBefore) sign(content, signature);
    if (block !== undefined) content.push(block);
    if (signature && !isBefore) sign(content, signature);
  }
  return { role: role === 'model' ? 'assistant' : 'user', content };
}

function isText(block: Block | undefined): boolean {
  return block?.type === 'text';
}

/** Gives the signature to the thought before it. One that we sealed restores the reasoning of another wire. */
function sign(content: Block[], { signature, sealed }: DecodedSignature): void {
  const last = content.at(-1);
  const isThought = last?.type === 'reasoning' && last.signature === undefined && last.redacted === undefined;
  const block: ReasoningBlock = sealed ?? { type: 'reasoning', text: isThought ? last.text : '', signature, origin };
  if (isThought && (sealed === undefined || sealed.text === last.text)) content.pop();
  content.push(block);
}

interface PartContext {
  /** For a call without an id. */
  readonly id: string;
  readonly calls: CallMatcher;
}

const textFields = new Set(['text', 'thought', 'thoughtSignature']);
const callFields = new Set(['functionCall', 'thoughtSignature']);
const mediaFields = new Set(['inlineData', 'fileData', 'thoughtSignature']);

function decodePart(field: JsonField, context: PartContext): Block | undefined {
  const { text, thought, thoughtSignature, functionCall, functionResponse, inlineData, fileData } = field.object();
  if (functionCall !== undefined) return decodeCall(field, context);
  if (functionResponse !== undefined) return decodeResult(field.get('functionResponse'), context);
  if (text === '' && (thought === true || thoughtSignature !== undefined)) return undefined;
  if (text !== undefined) return thought === true ? decodeThought(field) : decodeText(field);
  if (inlineData !== undefined || fileData !== undefined) return decodeMedia(field);
  const { thoughtSignature: _signature, ...data } = field.object();
  if (Object.keys(data).length > 0) return { type: 'opaque', origin, data: data as JsonValue };
  return thoughtSignature === undefined ? field.fail('must have content, such as text') : undefined;
}

function decodeThought(field: JsonField): ReasoningBlock {
  return { type: 'reasoning', text: field.get('text').string(), origin };
}

export function decodeText(field: JsonField): TextBlock {
  return omitUndefined({ type: 'text', text: field.get('text').string(), extra: partExtra(field, textFields) });
}

function partExtra(field: JsonField, known: ReadonlySet<string>): WireExtra | undefined {
  const members = unknownMembers(field.object(), known);
  return members && { wire: wireName, members };
}

function decodeMedia(field: JsonField): Block {
  const opaque: Block = { type: 'opaque', origin, data: field.json() };
  const extra = partExtra(field, mediaFields);
  const block = field.optionalMember('inlineData', decodeInline) ?? field.optionalMember('fileData', decodeFile);
  if (block === undefined || (extra !== undefined && block.type === 'audio')) return opaque;
  return omitUndefined({ ...block, extra }) as Block;
}

/** Undefined for data of a kind that only this wire has. */
function decodeInline(field: JsonField): Block | undefined {
  return decodeBlob({ mimeType: field.get('mimeType').string(), data: field.get('data').string() });
}

function decodeFile(field: JsonField): Block | undefined {
  const url = field.get('fileUri').string();
  const mediaType = field.optionalMember('mimeType', (value) => value.string());
  const source = omitUndefined({ kind: 'url', url, mediaType });
  const kind = mediaType?.split('/')[0] ?? (/\.(?:png|jpe?g|webp|gif|heic)(?:[?#]|$)/i.test(url) ? 'image' : 'text');
  if (kind === 'image') return { type: 'image', source };
  return kind === 'application' || kind === 'text' ? { type: 'document', source } : undefined;
}

function decodeCall(field: JsonField, { id: unnamed, calls }: PartContext): ToolCallBlock {
  const call = field.get('functionCall');
  const name = call.get('name').string();
  const id = call.optionalMember('id', (value) => value.string()) || unnamed;
  calls.open(id, name);
  const input = call.optionalMember('args', (value) => value.object()) ?? {};
  return omitUndefined({ type: 'tool-call', id, name, input, extra: partExtra(field, callFields) });
}

const resultFields = new Set(['id', 'name', 'response', 'parts']);

function decodeResult(field: JsonField, { calls }: PartContext): ToolResultBlock {
  const name = field.get('name').string();
  const id = field.optionalMember('id', (value) => value.string());
  const response = field.optionalMember('response', (value) => value.json()) ?? {};
  const media = field.optionalMember('parts', (list) => list.items().map(decodeResultMedia)) ?? [];
  const { output, error } = response;
  const isError = isPlainOutput(response) && error !== undefined;
  const plain = isPlainOutput(response) ? (output ?? error) : undefined;
  const text = typeof plain === 'string' ? plain : JSON.stringify(response);
  return omitUndefined({
    type: 'tool-result',
    callId: calls.close(id, name),
    content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...media],
    isError: isError ? true : undefined,
    extra: partExtra(field, resultFields),
  });
}

function decodeResultMedia(field: JsonField): ToolResultBlock['content'][number] {
  const block = decodeMedia(field);
  return block.type === 'image' || block.type === 'document' || block.type === 'opaque'
    ? block
    : { type: 'opaque', origin, data: field.json() };
}

/** Finds the call of a result, which may have the name only. Results of calls with the same name are in order. */
class CallMatcher {
  readonly #open: { readonly id: string; readonly name: string }[] = [];

  open(id: string, name: string): void {
    this.#open.push({ id, name });
  }

  close(id: string | undefined, name: string): string {
    const byId = this.#open.findIndex((call) => call.id === id);
    const at = byId === -1 ? this.#open.findIndex((call) => call.name === name) : byId;
    const [call] = at === -1 ? [] : this.#open.splice(at, 1);
    return call?.id ?? id ?? name;
  }
}
