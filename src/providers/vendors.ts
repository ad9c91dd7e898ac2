// The known vendors, as data: a vendor that uses a known wire is one row here and no code. Model names are suggestions for
// a first call; prices and context windows are in `prices/`.

import type { Quirks } from '../wire/wire.ts';
import type { CloudAuth } from './auth/request-signer.ts';
import { bedrockVendors } from './bedrock-vendors.ts';
import { compatibleVendors } from './compatible-vendors.ts';
import { googleVendors } from './google-vendors.ts';
import type { Auth } from './remote-access.ts';

export type VendorWire =
  | 'openai-chat'
  | 'anthropic-messages'
  | 'openai-responses'
  | 'gemini'
  | 'bedrock-converse'
  | 'bedrock-anthropic';

export interface VendorRow {
  readonly name: string;
  /** The display name. */
  readonly label: string;
  readonly wire: VendorWire;
  /** If absent, the user must set it. `{region}` is replaced by the AWS region. */
  readonly baseUrl?: string;
  readonly auth: Auth;
  /** How calls without a key are authenticated. */
  readonly cloud?: CloudAuth;
  /** The path of the API, if the base URL has none. */
  readonly defaultPath?: string;
  /** If absent, the key is optional. */
  readonly needsKey?: true;
  /** The environment variable that holds the key. */
  readonly keyEnv?: string;
  /** A second variable, read if the first is not set. */
  readonly otherKeyEnv?: string;
  /** The environment variable that replaces the base URL. */
  readonly baseUrlEnv?: string;
  /** A server at the address of `baseUrlEnv` may need no key. */
  readonly isOpenElsewhere?: true;
  /** The base URL for vendors whose addresses contain the user's names, with environment variables in braces. */
  readonly baseUrlPattern?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The versions of the API that clients of the same format may choose, the oldest first. Absent if it has one only. */
  readonly versions?: readonly string[];
  readonly quirks?: Quirks;
  /** What its best models support; a single model may support less. */
  readonly capabilities: Capabilities;
  /** The vendor guarantees that tool-call arguments are JSON. */
  readonly validArguments?: true;
  /** Its embeddings route. Absent if it has none. */
  readonly embeddings?: EmbeddingTraits;
  /** Its route for legacy completions. Absent if it has none. */
  readonly completions?: CompletionTraits;
  /** It has no list of its models at the base URL. */
  readonly noModelList?: true;
  /** The further routes that it has, by the first segment after `/v1`. Absent if it has none that the gateway forwards. */
  readonly routes?: readonly ForwardedRoute[];
  /** Where these routes are, if not at the base URL: the end of its path, and what replaces it. */
  readonly routeBase?: { readonly end: string; readonly replacement: string };
  readonly defaultModel?: string;
  /** A small and cheap model, to check whether a key works. */
  readonly testModel?: string;
  /** A model name without a provider that starts with one of these belongs to this vendor. */
  readonly modelPrefixes?: readonly string[];
}

export interface Capabilities {
  readonly tools: boolean;
  readonly images: boolean;
  readonly audio: boolean;
  readonly documents: boolean;
  readonly reasoning: boolean;
  /** The most specific format it supports. */
  readonly responseFormat: 'json-schema' | 'json' | 'none';
  /** The models that do not support the format. They get a tool or an instruction instead. */
  readonly formatless?: RegExp;
  /** It has a mode for responses that are one of several words. */
  readonly wordChoice?: true;
  /** `false`: it has no mode for JSON without a schema. */
  readonly plainJson?: false;
  /**
   * Requirements for schemas. `closed`: objects must be closed and without bounds; the vendor rejects other schemas.
   * `strict`: in addition, every member must be required; then the vendor guarantees the schema, otherwise it only tries
   * to follow it. If absent, any schema is accepted.
   */
  readonly schemas?: 'closed' | 'strict';
}

/** Routes that pass to a provider unread, by the first segment after `/v1`. */
export const forwardedRoutes = [
  'audio',
  'batches',
  'containers',
  'evals',
  'files',
  'fine_tuning',
  'images',
  'moderations',
  'rerank',
  'uploads',
  'vector_stores',
  'videos',
] as const;
export type ForwardedRoute = (typeof forwardedRoutes)[number];

export interface EmbeddingTraits {
  /** The format of the route. Defaults to that of OpenAI. */
  readonly format?: 'openai' | 'bedrock' | 'gemini' | 'vertex';
  /** The largest number of inputs in one request. Defaults to `usualMaxInputs`. */
  readonly maxInputs?: number;
  /** The largest number of tokens of all inputs in one request. */
  readonly maxTokens?: number;
  /** It sends vectors as base64 on request. Others may reject the request. */
  readonly base64?: boolean;
  /** Models that accept one input in a request. */
  readonly oneInput?: RegExp;
}

export interface CompletionTraits {
  /** The models of the route, if it does not have all of them. Others are called as a chat. */
  readonly models?: RegExp;
}

/** Most servers accept at least this many. */
export const usualMaxInputs = 256;

const openWeights: Capabilities = {
  tools: true,
  images: true,
  audio: false,
  documents: false,
  reasoning: true,
  responseFormat: 'json-schema',
};

/** Calls of the library and the agent have the first version, which all fields of a request are written for. */
const anthropicVersions = {
  headers: { 'anthropic-version': '2023-06-01' },
  versions: ['2023-06-01', '2026-10-21'],
} as const;

export const vendors: readonly VendorRow[] = [
  {
    name: 'openai',
    label: 'OpenAI',
    wire: 'openai-chat',
    baseUrl: 'https://api.openai.com/v1',
    auth: 'bearer',
    needsKey: true,
    keyEnv: 'OPENAI_API_KEY',
    baseUrlEnv: 'OPENAI_BASE_URL',
    embeddings: { maxInputs: 2048, maxTokens: 300_000, base64: true },
    completions: { models: /^(?:ft:)?(?:gpt-3\.5-turbo-instruct|babbage-002|davinci-002)/ },
    routes: forwardedRoutes.filter((route) => route !== 'rerank'),
    capabilities: { ...openWeights, audio: true, documents: true, schemas: 'strict' },
    validArguments: true,
    defaultModel: 'gpt-5.4-mini',
    testModel: 'gpt-5.4-nano',
    modelPrefixes: [
      'gpt-',
      'chatgpt-',
      'o1',
      'o3',
      'o4',
      'text-embedding-',
      'dall-e-',
      'tts-',
      'whisper-',
      'omni-moderation-',
      'sora-',
    ],
  },
  {
    name: 'anthropic',
    label: 'Anthropic',
    wire: 'anthropic-messages',
    baseUrl: 'https://api.anthropic.com',
    auth: 'x-api-key',
    needsKey: true,
    keyEnv: 'ANTHROPIC_API_KEY',
    baseUrlEnv: 'ANTHROPIC_BASE_URL',
    isOpenElsewhere: true,
    ...anthropicVersions,
    routes: ['files'],
    capabilities: { ...openWeights, documents: true, schemas: 'closed', plainJson: false },
    validArguments: true,
    defaultModel: 'claude-sonnet-5-5',
    testModel: 'claude-haiku-5-5',
    modelPrefixes: ['claude-'],
  },
  {
    name: 'openrouter',
    label: 'OpenRouter',
    wire: 'openai-chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    auth: 'bearer',
    needsKey: true,
    keyEnv: 'OPENROUTER_API_KEY',
    quirks: {
      maxTokensField: 'max_tokens',
      // It translates Anthropic's markers for every model.
      cacheMarkers: 'cache-control',
      // Signed reasoning of the model behind it must be sent back unchanged.
      reasoning: 'details',
    },
    embeddings: {},
    completions: {},
    capabilities: { ...openWeights, audio: true, documents: true },
    defaultModel: 'openrouter/auto',
    testModel: 'openai/gpt-5.4-nano',
  },
  {
    name: 'groq',
    label: 'Groq',
    wire: 'openai-chat',
    baseUrl: 'https://api.groq.com/openai/v1',
    auth: 'bearer',
    needsKey: true,
    keyEnv: 'GROQ_API_KEY',
    baseUrlEnv: 'GROQ_BASE_URL',
    quirks: { cacheMarkers: 'none', noDeveloperRole: true },
    routes: ['audio', 'batches', 'files'],
    capabilities: openWeights,
    defaultModel: 'openai/gpt-oss-120b',
    testModel: 'openai/gpt-oss-20b',
  },
  {
    name: 'mistral',
    label: 'Mistral',
    wire: 'openai-chat',
    baseUrl: 'https://api.mistral.ai/v1',
    auth: 'bearer',
    needsKey: true,
    keyEnv: 'MISTRAL_API_KEY',
    quirks: {
      // It rejects unknown fields with 422, and it knows neither `max_completion_tokens` nor `include_usage`. Its last
      // chunk always contains the usage.
      maxTokensField: 'max_tokens',
      noStreamOptions: true,
      noUser: true,
      cacheMarkers: 'none',
      noDeveloperRole: true,
      seedField: 'random_seed',
      // It rejects other ids in the history with 400, even those from another vendor.
      toolCallIds: 'nine-alphanumeric',
    },
    // It rejects more than 16,384 tokens in one request.
    embeddings: { maxTokens: 16_384 },
    routes: ['audio', 'batches', 'files', 'moderations'],
    capabilities: { ...openWeights, audio: true, documents: true },
    defaultModel: 'mistral-medium-latest',
    testModel: 'mistral-small-latest',
    modelPrefixes: ['mistral-', 'ministral-', 'magistral-', 'codestral-', 'devstral-', 'pixtral-', 'voxtral-'],
  },
  {
    name: 'deepseek',
    label: 'DeepSeek',
    wire: 'openai-chat',
    baseUrl: 'https://api.deepseek.com',
    auth: 'bearer',
    needsKey: true,
    keyEnv: 'DEEPSEEK_API_KEY',
    quirks: {
      maxTokensField: 'max_tokens',
      cacheMarkers: 'none',
      noDeveloperRole: true,
      // It rejects a schema with 400: "This response_format type is unavailable now".
      responseFormat: 'json',
      // After a tool call, it rejects a request without the reasoning that led to the call with 400.
      reasoning: 'content',
    },
    capabilities: { ...openWeights, images: false, responseFormat: 'json' },
    defaultModel: 'deepseek-v4-flash',
    testModel: 'deepseek-v4-flash',
    modelPrefixes: ['deepseek-'],
  },
  {
    name: 'xai',
    label: 'xAI',
    wire: 'openai-chat',
    baseUrl: 'https://api.x.ai/v1',
    auth: 'bearer',
    needsKey: true,
    keyEnv: 'XAI_API_KEY',
    quirks: { cacheMarkers: 'none', noDeveloperRole: true },
    routes: ['batches', 'files', 'images', 'videos'],
    capabilities: openWeights,
    defaultModel: 'grok-4.3',
    testModel: 'grok-4.3',
    modelPrefixes: ['grok-'],
  },
  {
    name: 'together',
    label: 'Together',
    wire: 'openai-chat',
    baseUrl: 'https://api.together.xyz/v1',
    auth: 'bearer',
    needsKey: true,
    keyEnv: 'TOGETHER_API_KEY',
    baseUrlEnv: 'TOGETHER_BASE_URL',
    quirks: { maxTokensField: 'max_tokens', cacheMarkers: 'none', noDeveloperRole: true },
    embeddings: {},
    routes: ['audio', 'batches', 'files', 'images', 'rerank', 'videos'],
    completions: {},
    capabilities: openWeights,
    defaultModel: 'openai/gpt-oss-120b',
    testModel: 'openai/gpt-oss-20b',
  },
  {
    name: 'fireworks',
    label: 'Fireworks',
    wire: 'openai-chat',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    auth: 'bearer',
    needsKey: true,
    keyEnv: 'FIREWORKS_API_KEY',
    quirks: { maxTokensField: 'max_tokens', cacheMarkers: 'none', noDeveloperRole: true },
    embeddings: {},
    routes: ['rerank'],
    completions: {},
    capabilities: openWeights,
    defaultModel: 'accounts/fireworks/models/gpt-oss-120b',
    testModel: 'accounts/fireworks/models/gpt-oss-20b',
  },
  ...compatibleVendors,
  ...googleVendors,
  {
    name: 'ollama',
    label: 'Ollama',
    wire: 'openai-chat',
    // An address, because `localhost` may resolve to ::1, where Ollama does not listen.
    baseUrl: 'http://127.0.0.1:11434/v1',
    auth: 'bearer',
    // It silently ignores `max_completion_tokens`.
    quirks: { maxTokensField: 'max_tokens', cacheMarkers: 'none', noDeveloperRole: true },
    embeddings: {},
    completions: {},
    capabilities: openWeights,
    // Models with open weights that OpenAI publishes but does not serve.
    modelPrefixes: ['gpt-oss'],
  },
  {
    name: 'lmstudio',
    label: 'LM Studio',
    wire: 'openai-chat',
    baseUrl: 'http://127.0.0.1:1234/v1',
    auth: 'bearer',
    keyEnv: 'LM_API_TOKEN',
    // It rejects plain JSON with 400: "'response_format.type' must be 'json_schema' or 'text'".
    quirks: {
      maxTokensField: 'max_tokens',
      cacheMarkers: 'none',
      noDeveloperRole: true,
      responseFormat: 'json-schema-only',
    },
    embeddings: {},
    completions: {},
    capabilities: openWeights,
  },
  {
    name: 'vllm',
    label: 'vLLM',
    wire: 'openai-chat',
    baseUrl: 'http://127.0.0.1:8000/v1',
    auth: 'bearer',
    keyEnv: 'VLLM_API_KEY',
    // Older servers support no other limit. The chat template of the model decides what it reads of earlier reasoning.
    quirks: { maxTokensField: 'max_tokens', cacheMarkers: 'none', noDeveloperRole: true, reasoning: 'content' },
    embeddings: {},
    routes: ['audio', 'rerank'],
    completions: {},
    capabilities: openWeights,
  },
  {
    name: 'azure-openai',
    label: 'Azure OpenAI',
    wire: 'openai-chat',
    // The address of the resource; a model is the name of a deployment.
    auth: 'api-key',
    cloud: 'entra',
    defaultPath: '/openai/v1',
    keyEnv: 'AZURE_OPENAI_API_KEY',
    baseUrlEnv: 'AZURE_OPENAI_ENDPOINT',
    embeddings: { maxInputs: 2048, maxTokens: 300_000, base64: true },
    // The name of a deployment does not say which model it is.
    completions: { models: /instruct|babbage|davinci/i },
    capabilities: { ...openWeights, audio: true, schemas: 'strict' },
    validArguments: true,
  },
  ...bedrockVendors,
  {
    name: 'openai-compatible',
    label: 'OpenAI-compatible',
    wire: 'openai-chat',
    auth: 'bearer',
    // The fields that most servers support. Those that reject reasoning have a row of their own.
    quirks: { maxTokensField: 'max_tokens', cacheMarkers: 'none', reasoning: 'content' },
    embeddings: {},
    // What the server has is not known. It responds with 404 to the others.
    routes: forwardedRoutes,
    completions: {},
    capabilities: openWeights,
  },
  {
    name: 'anthropic-compatible',
    label: 'Anthropic-compatible',
    wire: 'anthropic-messages',
    auth: 'x-api-key',
    ...anthropicVersions,
    routes: ['files'],
    capabilities: { ...openWeights, documents: true, schemas: 'closed', plainJson: false },
  },
];

export function vendorNamed(name: string): VendorRow | undefined {
  return vendors.find((vendor) => vendor.name === name);
}

/** A vendor of the chat wire may also be called with the Responses wire, if its servers have it. */
export const optionalWire = 'openai-responses';

/** The row of a provider, with the wire that its settings choose. */
export function vendorOf({ type, wire }: { readonly type: string; readonly wire?: VendorWire }): VendorRow | undefined {
  const row = vendorNamed(type);
  return row === undefined || wire === undefined || wire === row.wire ? row : { ...row, wire };
}

/** Whether the settings of a provider may choose the wire. */
export function hasWire(type: string, wire: VendorWire): boolean {
  const own = vendorNamed(type)?.wire;
  return own === wire || (own === 'openai-chat' && wire === optionalWire);
}

/** Whether a vendor serves only its own models. Servers that need no key, such as Ollama, run any model. */
export function hasOnlyOwnModels(name: string): boolean {
  const { modelPrefixes, needsKey } = vendorNamed(name) ?? {};
  return modelPrefixes !== undefined && needsKey === true;
}

/** The vendor with the longest matching prefix. */
export function vendorOfModel(model: string): VendorRow | undefined {
  let best: VendorRow | undefined;
  let longest = 0;
  for (const vendor of vendors) {
    for (const prefix of vendor.modelPrefixes ?? []) {
      if (prefix.length <= longest || !model.startsWith(prefix)) continue;
      longest = prefix.length;
      best = vendor;
    }
  }
  return best;
}
