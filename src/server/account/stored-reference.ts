// Finds what a request body names of the objects that a provider stores: files, vector stores, containers, prompts, …. Such
// an object belongs to the provider's account, so every gateway key that uses the account could name it.
// Invariants:
//   1. A member whose name ends in `id` or `ids` is a reference unless it is known to be none, so a vendor's new field is one.
//   2. What the client itself defines is no reference: schemas, arguments of tools and metadata.

import { isRecord } from '../../core/json.ts';

/** Names of ids, as vendors write them: `file_id`, `vector_store_ids`, `fileId`. */
const idName = /(?:^|_)ids?$|[a-z](?:Ids?|ID)$/;

/** Ids inside the request itself, or of the client's own making. Lower case, without underscores. */
const harmlessIds = new Set([
  'approvalrequestid',
  'callid',
  'connectorid',
  'parenttooluseid',
  'placeid',
  'googleplaceid',
  'requestid',
  'sessionid',
  'spanid',
  'parentspanid',
  'toolcallid',
  'tooluseid',
  'traceid',
  'userid',
]);

/** Objects and lists that are named by a text, or by an object with an `id`. Lower case, without underscores. */
const namedObjects = new Set([
  'audio',
  'cachedcontent',
  'container',
  'conversation',
  'file',
  'filesearchstorenames',
  'prompt',
  'thread',
  'voice',
]);

/** Of `namedObjects`, those whose text is no reference: a prompt, the name of a voice, data. */
const plainTexts = new Set(['audio', 'file', 'prompt', 'voice']);

/** Data of the account that needs no id of its own, such as a search index at Google. */
const accountData = new Set(['externalapi', 'vertexaisearch', 'vertexragstore']);

/** Members with data of the client, whatever they are inside. */
const clientData = new Set([
  'clientmetadata',
  'inputexamples',
  'inputschema',
  'jsonschema',
  'labels',
  'metadata',
  'outputschema',
  'parametersjsonschema',
  'responsejsonschema',
  'responseschema',
  'schema',
]);

/** Objects that have an `id` of their own. Any other `id` names an object elsewhere. */
const ownIdMarks = ['type', 'role', 'name', 'code', 'function'];

/** Calls and results of tools, where one of these members is the client's data. */
const toolData: Readonly<Record<string, readonly string[]>> = {
  functioncall: ['args', 'partialArgs'],
  functionresponse: ['response'],
};

/**
 * The path of the first reference; undefined if there is none. `verified`: members of the body whose own ids, or those of
 * their items, the route checks itself.
 */
export function findReference(body: unknown, verified: readonly string[] = []): string | undefined {
  if (!isRecord(body)) return undefined;
  return firstOf(Object.keys(body), (name) => {
    const value = body[name];
    const isVerified = verified.includes(name) && (typeof value === 'string' || typeof value === 'object');
    return isVerified ? prefixed(name, findInVerified(value)) : findInMember(value, { name, owner: body });
  });
}

/** Whether a field of a form is a reference: `file_id`, `file_ids[]`, `voice[id]`. */
export function isReferenceField(field: string): boolean {
  const parts = field.split(/[[\].]+/).filter((part) => part !== '');
  return parts.some((part) => {
    const name = normalized(part);
    return isIdName(part) || accountData.has(name) || (namedObjects.has(name) && !plainTexts.has(name));
  });
}

function findInVerified(value: unknown): string | undefined {
  if (Array.isArray(value)) return firstOf(value, (item, index) => prefixed(`[${index}]`, findInVerified(item)));
  return isRecord(value) ? findInRecord(value, { isVerified: true }) : undefined;
}

type Members = Readonly<Record<string, unknown>>;

interface Member {
  readonly name: string;
  readonly owner: Members;
  /** The name of the member that has the owner. */
  readonly within?: string;
}

function findInMember(value: unknown, { name, owner, within = '' }: Member): string | undefined {
  if (value === null || value === undefined || typeof value === 'boolean' || typeof value === 'number')
    return undefined;
  const key = normalized(name);
  if (isClientData(key, { name, owner, within })) return undefined;
  const isNamed = accountData.has(key) || (isIdName(name) && names(value) && !isOwnId(owner, { name, within }));
  if (isNamed || isNamedObject(key, value) || isAccountAddress(key, value)) return name;
  return prefixed(name, findInside(value, key));
}

function findInside(value: unknown, within: string): string | undefined {
  if (Array.isArray(value)) return firstOf(value, (item, index) => prefixed(`[${index}]`, findInside(item, within)));
  return isRecord(value) ? findInRecord(value, { within }) : undefined;
}

interface RecordPlace {
  /** The name of the member that has the record. */
  readonly within?: string;
  readonly isVerified?: boolean;
}

function findInRecord(owner: Members, { within = '', isVerified = false }: RecordPlace): string | undefined {
  if (!isVerified && owner['type'] === 'item_reference') return '.id';
  return firstOf(Object.keys(owner), (name) => {
    if (isVerified && name === 'id') return undefined;
    return prefixed('.', findInMember(owner[name], { name, owner, within }));
  });
}

function isClientData(key: string, { name, owner, within = '' }: Member): boolean {
  if (clientData.has(key)) return true;
  if (key === 'parameters' || key === 'response')
    return typeof owner['name'] === 'string' || within === 'functionresponse';
  if (key === 'input') return typeof owner['type'] === 'string' && owner['type'].endsWith('tool_use');
  return toolData[within]?.includes(name) ?? false;
}

function isIdName(name: string): boolean {
  return idName.test(name) && !harmlessIds.has(normalized(name));
}

/** The `id` of a message, an item, a tool call or a plugin. */
function isOwnId(owner: Members, { name, within = '' }: Omit<Member, 'owner'>): boolean {
  if (name !== 'id') return owner['type'] === 'anthropic' && name === 'skill_id';
  return !namedObjects.has(within) && (within === 'plugins' || ownIdMarks.some((mark) => owner[mark] !== undefined));
}

function isNamedObject(key: string, value: unknown): boolean {
  if (!namedObjects.has(key)) return false;
  if (isRecord(value)) return names(value['id']);
  return !plainTexts.has(key) && names(value);
}

/** Whether a value can be an id or a list of ids. */
function names(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(names);
  return typeof value === 'string' ? value !== '' : isRecord(value);
}

/** Hosts where the provider itself reads files, with the rights of the account. */
const fileHosts = /(?:^|\.)(?:generativelanguage|aiplatform)\.googleapis\.com\.?$/;

/** An address that the provider reads with the rights of the account: a bucket, or a file that it stores. */
function isAccountAddress(key: string, value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || !/ur[il]$/.test(key)) return false;
  if (/^\s*data:/i.test(value)) return false;
  const address = URL.parse(value);
  return address === null || !/^https?:$/.test(address.protocol) || fileHosts.test(address.hostname);
}

const normalNames = new Map<string, string>();
const mostNames = 1000;

/** Lower case and without underscores, as `fileUri` and `file_uri` are the same to some vendors. */
function normalized(name: string): string {
  const known = normalNames.get(name);
  if (known !== undefined) return known;
  const normal = name.toLowerCase().replaceAll('_', '');
  // Clients choose names, so not all can be kept.
  if (normalNames.size < mostNames && name.length < 50) normalNames.set(name, normal);
  return normal;
}

function firstOf<Item>(
  list: readonly Item[],
  find: (item: Item, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of list.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function prefixed(path: string, found: string | undefined): string | undefined {
  return found === undefined ? undefined : path + found;
}
