// Validates the content of a message of a Converse request.

import { isRecord } from '../../../core/json.ts';
import { audioFormats, documentFormats, imageFormats } from '../../../wire/bedrock-converse/types.ts';
import { throwApiError } from '../api-error.ts';
import { isBase64 } from '../base64-value.ts';
import { checkChoice, checkMembers, fail, listAt, recordAt, type Members } from './validate-value.ts';

const resultMembers = ['text', 'json', 'image', 'document', 'video', 'searchResult'];
const members = [
  'text',
  'image',
  'document',
  'video',
  'audio',
  'toolUse',
  'toolResult',
  'guardContent',
  'cachePoint',
  'reasoningContent',
  'citationsContent',
  'searchResult',
];

const idPattern = /^[a-zA-Z0-9_-]{1,64}$/u;
const documentName = /^(?! )(?!.* {2})[a-zA-Z0-9\s()[\]-]{1,200}$/u;

/** The members of each block, and of what is in it. */
const membersOf = {
  image: ['format', 'source', 'error'],
  document: ['format', 'name', 'source', 'context', 'citations'],
  audio: ['format', 'source', 'error'],
  toolUse: ['toolUseId', 'name', 'input', 'type'],
  toolResult: ['toolUseId', 'content', 'status', 'type'],
  cachePoint: ['type', 'ttl'],
  reasoningText: ['text', 'signature'],
  source: ['bytes', 's3Location', 'text', 'content'],
  s3Location: ['uri', 'bucketOwner'],
} as const;

function checkedAt(value: unknown, name: keyof typeof membersOf, path: string): Members {
  const found = recordAt(value, `${path}.${name}`);
  checkMembers(found, membersOf[name], `${path}.${name}`);
  return found;
}

/** `documents`: the names so far, because no two documents have the same. */
export function checkContent({ role, content }: Members, index: number, documents: Set<string>): void {
  const path = `messages.${index}.content`;
  const blocks = listAt(content, path).map((block, at) => recordAt(block, `${path}.${at}`));
  if (blocks.length === 0) {
    throwApiError(
      `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to the content field and try again.`,
    );
  }
  for (const [at, block] of blocks.entries()) {
    checkOne(block, members, `${path}.${at}`);
    checkPlace(block, String(role), `${path}.${at}`);
    checkBlock(block, `${path}.${at}`, documents);
  }
  const hasText = blocks.some(({ text }) => text !== undefined);
  if (blocks.some(({ document }) => document !== undefined) && !hasText) {
    throwApiError(
      `A text block must be included in the content of the Message object at messages.${index} when a document is.`,
    );
  }
}

/** A union has exactly one member. */
function checkOne(block: Members, names: readonly string[], path: string): void {
  checkMembers(block, names, path);
  if (Object.keys(block).length !== 1) {
    throwApiError(`The ContentBlock object at ${path} must set one of the following keys: ${names.join(', ')}.`);
  }
}

const userOnly = ['image', 'document', 'audio', 'video', 'toolResult'];
const assistantOnly = ['toolUse', 'reasoningContent'];

function checkPlace(block: Members, role: string, path: string): void {
  const [member = ''] = Object.keys(block);
  if ((role === 'user' ? assistantOnly : userOnly).includes(member)) {
    throwApiError(`The ${member} block at ${path} is not allowed in a message with the role ${role}.`);
  }
}

function checkBlock(block: Members, path: string, documents: Set<string>): void {
  const { text, image, document, audio, toolUse, toolResult, cachePoint, reasoningContent } = block;
  if (text !== undefined) checkText(text, path);
  if (image !== undefined) checkMedia(checkedAt(image, 'image', path), Object.values(imageFormats), `${path}.image`);
  if (audio !== undefined) checkMedia(checkedAt(audio, 'audio', path), audioFormats, `${path}.audio`);
  if (document !== undefined) checkDocument(checkedAt(document, 'document', path), `${path}.document`, documents);
  if (toolUse !== undefined) checkCall(checkedAt(toolUse, 'toolUse', path), `${path}.toolUse`);
  if (toolResult !== undefined) checkResult(checkedAt(toolResult, 'toolResult', path), path, documents);
  if (cachePoint !== undefined)
    checkChoice(checkedAt(cachePoint, 'cachePoint', path)['type'], `${path}.cachePoint.type`, ['default']);
  if (reasoningContent !== undefined)
    checkReasoning(recordAt(reasoningContent, `${path}.reasoningContent`), `${path}.reasoningContent`);
}

function checkText(text: unknown, path: string): void {
  if (typeof text !== 'string') return fail(`${path}.text`, 'Member must be a string');
  if (text.trim() === '') {
    throwApiError(
      `The text field in the ContentBlock object at ${path} is blank. Add text to the text field, and try again.`,
    );
  }
}

function checkMedia(media: Members, formats: readonly string[], path: string): void {
  checkChoice(media['format'], `${path}.format`, formats);
  const { bytes, s3Location } = checkedAt(media['source'], 'source', path);
  if (isRecord(s3Location)) return void checkedAt(s3Location, 's3Location', `${path}.source`);
  if (typeof bytes !== 'string' || bytes === '') return fail(`${path}.source.bytes`, 'Member must not be null');
  checkBytes(bytes, `${path}.source.bytes`);
}

function checkBytes(bytes: unknown, path: string): void {
  if (!isBase64(bytes)) throwApiError(`${path} is not valid base64.`, { code: 'SerializationException' });
}

function checkDocument(document: Members, path: string, documents: Set<string>): void {
  const { name, source } = document;
  if (typeof name !== 'string' || !documentName.test(name)) {
    throwApiError(
      "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.",
    );
  }
  if (documents.has(name)) throwApiError('Messages contain duplicate document names.');
  documents.add(name);
  const { text, content } = recordAt(source, `${path}.source`);
  if (text === undefined && content === undefined) checkMedia(document, Object.values(documentFormats), path);
}

function checkCall({ toolUseId, name, input }: Members, path: string): void {
  checkId(toolUseId, path);
  if (typeof name !== 'string' || name === '') fail(`${path}.name`, 'Member must not be null');
  if (!isRecord(input)) {
    throwApiError(
      `The format of the value at ${path}.input is invalid. Provide a json object for the field and try again.`,
    );
  }
}

function checkResult({ toolUseId, content, status }: Members, path: string, documents: Set<string>): void {
  checkId(toolUseId, `${path}.toolResult`);
  if (status !== undefined) checkChoice(status, `${path}.toolResult.status`, ['success', 'error']);
  const place = `${path}.toolResult.content`;
  for (const [at, part] of listAt(content, place).entries()) {
    const block = recordAt(part, `${place}.${at}`);
    checkOne(block, resultMembers, `${place}.${at}`);
    checkBlock(block, `${place}.${at}`, documents);
  }
}

function checkReasoning(reasoning: Members, path: string): void {
  checkOne(reasoning, ['reasoningText', 'redactedContent'], path);
  const { reasoningText, redactedContent } = reasoning;
  if (redactedContent !== undefined) return checkBytes(redactedContent, `${path}.redactedContent`);
  const { text } = checkedAt(reasoningText, 'reasoningText', path);
  if (typeof text !== 'string') fail(`${path}.reasoningText.text`, 'Member must not be null');
}

function checkId(id: unknown, path: string): void {
  if (typeof id === 'string' && idPattern.test(id)) return;
  fail(`${path}.toolUseId`, 'Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+');
}
