// Finds what a request body names of the objects that a provider stores: files, vector stores, containers, prompts, …. Such
// an object belongs to the provider's account, so every gateway key that uses the account could name it.
// Invariants:
//   1. A member whose name ends in `id` or `ids` is a reference unless it is known to be none, so a vendor's new field is one.
//   2. What the client itself defines is no reference: schemas, arguments of tools and metadata.

import { isRecord } from '../../core/json.ts';

/** Names of ids, as vendors write them: `file_id`, `vector_store_ids`, `fileId`. */
const idName = /(?:^|_)[iI][dD][sS]?$|[a-z](?:Ids?|ID)$/;

/** The same in any case and without underscores, because some servers read names so. */
const knownIdName =
  /(?:assistant|batch|collection|container|conversation|file|library|response|skill|store|thread)ids?$/;

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

/** What the name of a member says about its value. */
interface NameTraits {
  /** Lower case and without underscores, as `fileUri` and `file_uri` are the same to some vendors. */
  readonly key: string;
  readonly isClientData: boolean;
  readonly isId: boolean;
  readonly isAddress: boolean;
  readonly isAccountData: boolean;
  readonly isObject: boolean;
  /** A text with this name cannot be a reference, so most members are passed over quickly. */
  readonly isPlain: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** The path of the first reference; undefined if there is none. `verified`: members of the body that are not checked. */
export function findReference(body: unknown, verified: readonly string[] = []): string | undefined {
  if (!isRecord(body)) return undefined;
  const checked =
    verified.length === 0 ? body : { ...body, ...Object.fromEntries(verified.map((name) => [name, null])) };
  return findInRecord(checked, '')?.slice(1);
}

/** Whether a field of a form is a reference: `file_id`, `file_ids[]`, `voice[id]`. */
export function isReferenceField(field: string): boolean {
  const parts = field.split(/[[\].]+/).filter((part) => part !== '');
  return parts.some((part) => {
    const { key, isId, isAccountData, isObject } = traitsOf(part);
    return isId || isAccountData || (isObject && !plainTexts.has(key));
  });
}

/** `within`: the key of the member that has the value. */
function findInside(value: unknown, within: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return findInRecord(value as Members, within);
  for (let index = 0; index < value.length; index++) {
    const found = findInside(value[index], within);
    if (found !== undefined) return `[${index}]${found}`;
  }
  return undefined;
}

function findInRecord(owner: Members, within: string): string | undefined {
  if (owner['type'] === 'item_reference') return '.id';
  // oxlint-disable-next-line guard-for-in -- parsed JSON inherits nothing, and `Object.keys` makes an array first
  for (const name in owner) {
    const value = owner[name];
    const traits = traitsOf(name);
    if (value === null || (typeof value === 'string' ? traits.isPlain : typeof value !== 'object')) continue;
    if (isClientData(traits, { name, owner, within })) continue;
    if (isReference(traits, value, { name, owner, within })) return `.${name}`;
    const found = findInside(value, traits.key);
    if (found !== undefined) return `.${name}${found}`;
  }
  return undefined;
}

interface Place {
  readonly name: string;
  readonly owner: Members;
  readonly within: string;
}

function isReference(traits: NameTraits, value: unknown, place: Place): boolean {
  const { key, isId, isAccountData, isObject, isAddress } = traits;
  if (isAccountData) return true;
  if (isId && names(value) && !isOwnId(place)) return true;
  return (isObject && isNamedObject(key, value)) || (isAddress && isAccountAddress(value));
}

function isClientData({ key, isClientData: isData }: NameTraits, { name, owner, within }: Place): boolean {
  if (isData) return true;
  if (key === 'parameters' || key === 'response') {
    return typeof owner['name'] === 'string' || within === 'functionresponse';
  }
  if (key === 'input') return typeof owner['type'] === 'string' && owner['type'].endsWith('tool_use');
  return toolData[within]?.includes(name) ?? false;
}

/** The `id` of a message, an item, a tool call or a plugin. */
function isOwnId({ name, owner, within }: Place): boolean {
  if (name.toLowerCase() !== 'id') return owner['type'] === 'anthropic' && name === 'skill_id';
  return !namedObjects.has(within) && (within === 'plugins' || ownIdMarks.some((mark) => owner[mark] !== undefined));
}

function isNamedObject(key: string, value: unknown): boolean {
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
function isAccountAddress(value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || /^\s*data:/i.test(value)) return false;
  const address = URL.parse(value);
  return address === null || !/^https?:$/.test(address.protocol) || fileHosts.test(address.hostname);
}

const knownTraits = new Map<string, NameTraits>();
const mostKnown = 1000;

function traitsOf(name: string): NameTraits {
  const known = knownTraits.get(name);
  if (known !== undefined) return known;
  const traits = createTraits(name);
  // Clients choose names, so not all can be kept.
  if (knownTraits.size >= mostKnown) knownTraits.clear();
  if (name.length < 50) knownTraits.set(name, traits);
  return traits;
}

function createTraits(name: string): NameTraits {
  const key = name.toLowerCase().replaceAll('_', '');
  const isId = knownIdName.test(key) || (idName.test(name) && !harmlessIds.has(key));
  const isAddress = /ur[il]$/.test(key);
  const isAccountData = accountData.has(key);
  const isObject = namedObjects.has(key);
  const isPlain = !isId && !isAddress && !isAccountData && !isObject;
  return { key, isClientData: clientData.has(key), isId, isAddress, isAccountData, isObject, isPlain };
}
