// The fields of the requests of all wires, and what happens to each at a model that speaks another wire. On the same
// wire all fields pass unchanged. The rule: a field that changes the meaning of the response is translated or rejected; a
// field that only tunes the response is left out and reported to the client; a field without effect on the response is
// left out. An unknown field passes on the same wire; on another it is left out and reported.

import { isRecord } from '../core/json.ts';

export type FieldClass =
  /** The other wires have an equivalent. The translation itself rejects values that have none. */
  | 'translated'
  /** The response would have another meaning without it. The request is rejected with 400, naming the field. */
  | 'refused'
  /** It tunes the response. Left out, and reported to the client. */
  | 'tuning'
  /** It has no effect on the response (price, speed, storage, reports). Left out. */
  | 'ignored'
  /** A parameter of the official SDK that is sent as a header. */
  | 'header';

export interface FieldRule {
  readonly class: FieldClass;
  /** Values that mean the same as a missing field. */
  readonly isNeutral?: (value: unknown) => boolean;
}

const translated: FieldRule = { class: 'translated' };
const ignored: FieldRule = { class: 'ignored' };
const header: FieldRule = { class: 'header' };

function refused(isNeutral?: FieldRule['isNeutral']): FieldRule {
  return isNeutral === undefined ? { class: 'refused' } : { class: 'refused', isNeutral };
}

function tuning(isNeutral?: FieldRule['isNeutral']): FieldRule {
  return isNeutral === undefined ? { class: 'tuning' } : { class: 'tuning', isNeutral };
}

const isZero = (value: unknown): boolean => value === 0;
const isFalse = (value: unknown): boolean => value === false;

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

function isTextOnly(value: unknown): boolean {
  return Array.isArray(value) && value.every((modality) => modality === 'text');
}

export type FieldTable = Readonly<Record<string, FieldRule>>;

const openaiChat: FieldTable = {
  model: translated,
  messages: translated,
  max_tokens: translated,
  max_completion_tokens: translated,
  tools: translated,
  tool_choice: translated,
  parallel_tool_calls: translated,
  response_format: translated,
  reasoning_effort: translated,
  temperature: translated,
  top_p: translated,
  stop: translated,
  n: translated,
  user: translated,
  stream: translated,
  stream_options: translated,
  audio: refused(),
  modalities: refused(isTextOnly),
  logprobs: refused(isFalse),
  top_logprobs: refused(isZero),
  logit_bias: refused(isEmpty),
  functions: refused(isEmpty),
  function_call: refused((value) => value === 'none' || value === 'auto'),
  moderation: refused(),
  web_search_options: refused(),
  seed: tuning(),
  frequency_penalty: tuning(isZero),
  presence_penalty: tuning(isZero),
  verbosity: tuning(),
  metadata: ignored,
  prediction: ignored,
  prompt_cache_key: ignored,
  prompt_cache_options: ignored,
  prompt_cache_retention: ignored,
  safety_identifier: ignored,
  service_tier: ignored,
  store: ignored,
};

const anthropicMessages: FieldTable = {
  model: translated,
  messages: translated,
  max_tokens: translated,
  system: translated,
  tools: translated,
  tool_choice: translated,
  output_config: translated,
  output_format: translated,
  thinking: translated,
  temperature: translated,
  top_p: translated,
  stop_sequences: translated,
  metadata: translated,
  stream: translated,
  compaction: refused(),
  container: refused(),
  fallbacks: refused(isEmpty),
  inference_geo: refused(),
  mcp_servers: refused(isEmpty),
  thread: refused(),
  top_k: tuning(),
  context_management: tuning(isEmpty),
  cache_control: ignored,
  diagnostics: ignored,
  fallback_credit_token: ignored,
  service_tier: ignored,
  speed: ignored,
  betas: header,
  user_profile_id: header,
  workspace_id: header,
};

function hasNoLogprobs(value: unknown): boolean {
  return Array.isArray(value) && !value.includes('message.output_text.logprobs');
}

const openaiResponses: FieldTable = {
  model: translated,
  input: translated,
  instructions: translated,
  max_output_tokens: translated,
  tools: translated,
  tool_choice: translated,
  parallel_tool_calls: translated,
  text: translated,
  reasoning: translated,
  temperature: translated,
  top_p: translated,
  user: translated,
  stream: translated,
  stream_options: translated,
  background: refused(isFalse),
  context_management: refused(isEmpty),
  conversation: refused(),
  include: refused(hasNoLogprobs),
  moderation: refused(),
  previous_response_id: refused(),
  prompt: refused(),
  top_logprobs: refused(isZero),
  image: tuning(isEmpty),
  max_tool_calls: tuning(),
  truncation: tuning((value) => value === 'disabled'),
  verbosity: tuning(),
  access_programs: ignored,
  client_metadata: ignored,
  metadata: ignored,
  prompt_cache_key: ignored,
  prompt_cache_options: ignored,
  prompt_cache_retention: ignored,
  safety_identifier: ignored,
  service_tier: ignored,
  store: ignored,
};

const bedrockConverse: FieldTable = {
  modelId: translated,
  messages: translated,
  system: translated,
  inferenceConfig: translated,
  toolConfig: translated,
  outputConfig: translated,
  additionalModelRequestFields: tuning(isEmpty),
  additionalModelResponseFieldPaths: tuning(isEmpty),
  guardrailConfig: refused(),
  promptVariables: refused(isEmpty),
  performanceConfig: ignored,
  requestMetadata: ignored,
  serviceTier: ignored,
};

function isTextModality(value: unknown): boolean {
  return Array.isArray(value) && value.every((modality) => modality === 'TEXT');
}

/** The fields of the generation configuration have its name before theirs. */
const gemini: FieldTable = {
  model: translated,
  stream: translated,
  contents: translated,
  systemInstruction: translated,
  tools: translated,
  toolConfig: translated,
  'generationConfig.candidateCount': translated,
  'generationConfig.maxOutputTokens': translated,
  'generationConfig.responseJsonSchema': translated,
  'generationConfig.responseMimeType': translated,
  'generationConfig.responseSchema': translated,
  'generationConfig.seed': translated,
  'generationConfig.stopSequences': translated,
  'generationConfig.temperature': translated,
  'generationConfig.thinkingConfig': translated,
  'generationConfig.topP': translated,
  cachedContent: refused(),
  continuationToken: refused(),
  'toolConfig.allowedFunctionNames': refused(isEmpty),
  'generationConfig.audioTranscriptionConfig': refused(),
  'generationConfig.imageConfig': refused(),
  'generationConfig.logprobs': refused(isZero),
  'generationConfig.responseFormat': refused(isEmpty),
  'generationConfig.responseLogprobs': refused(isFalse),
  'generationConfig.responseModalities': refused(isTextModality),
  'generationConfig.speechConfig': refused(),
  'generationConfig.translationConfig': refused(),
  'generationConfig.audioTimestamp': tuning(isFalse),
  'generationConfig.enableAffectiveDialog': tuning(isFalse),
  'generationConfig.enableEnhancedCivicAnswers': tuning(isFalse),
  'generationConfig.frequencyPenalty': tuning(isZero),
  'generationConfig.mediaResolution': tuning(),
  'generationConfig.modelSelectionConfig': tuning(isEmpty),
  'generationConfig.presencePenalty': tuning(isZero),
  'generationConfig.routingConfig': tuning(isEmpty),
  'generationConfig.topK': tuning(),
  safetySettings: tuning(isEmpty),
  labels: ignored,
  serviceTier: ignored,
  store: ignored,
};

/** Keyed by wire name. */
export const requestFields: Readonly<Record<string, FieldTable>> = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
  'openai-responses': openaiResponses,
  'bedrock-converse': bedrockConverse,
  gemini,
};

const carriedFields: Readonly<Record<string, readonly string[]>> = {
  'openai-chat': ['stream_options'],
  'anthropic-messages': ['thinking', 'output_config', 'temperature', 'top_p'],
  'openai-responses': ['stream_options', 'text', 'reasoning'],
  gemini: ['toolConfig', 'generationConfig.thinkingConfig'],
};

/** Translated fields that are also kept unchanged in `extra`, for providers that speak the same wire. */
export function isCarried(wire: string, field: string): boolean {
  return carriedFields[wire]?.includes(field) ?? false;
}

/** The rule for a field of `wire` at another wire; undefined if its value is neutral. */
export function ruleOf(wire: string, field: string, value: unknown): FieldRule | undefined {
  if (value === undefined || value === null) return undefined;
  const table = requestFields[wire] ?? {};
  const rule = Object.hasOwn(table, field) ? table[field] : tuning();
  return rule?.isNeutral?.(value) ? undefined : rule;
}
