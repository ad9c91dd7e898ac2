// `client.embed`: the request of a library user, and the result with its cost.

import type { CallContext } from '../core/call.ts';
import type { EmbeddingInput, EmbeddingRequest, EmbeddingResponse, EmbeddingVector } from '../core/embedding.ts';
import { rejectField } from '../core/error.ts';
import { isRecord, omitUndefined } from '../core/json.ts';
import {
  anyShape,
  checkShape,
  closedObjectOf,
  countShape,
  isString,
  listOf,
  objectShape,
  optional,
  orElse,
  signalShape,
  stringShape,
} from '../core/shape.ts';
import type { CostOf, Usage } from '../core/usage.ts';
import { cacheShape } from './request-shape.ts';
import { checkModel, contextOf, type RequestInput } from './request.ts';

export interface EmbeddingRequestInput extends Pick<RequestInput, 'model' | 'user' | 'signal' | 'cache'> {
  /** One input or a list; each is a text, or a text as tokens of the model. */
  readonly input: string | readonly EmbeddingInput[];
  /** The length of the vectors, for models that support several. */
  readonly dimensions?: number;
  /** Further fields of the provider's body, such as `input_type`. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** One text, several texts, or a complete request. */
export type EmbedInput = string | readonly string[] | EmbeddingRequestInput;

export interface Embeddings {
  /** One for each input, in the order of the inputs. */
  readonly vectors: readonly EmbeddingVector[];
  /** The first vector, for a request with one input. */
  readonly vector: EmbeddingVector;
  /** The provider's own name of the model. */
  readonly model: string;
  /** The provider that responded. */
  readonly target: string;
  readonly usage: Usage;
  /** In US dollars; absent if the price or the token count is unknown. */
  readonly cost?: number;
}

const inputProblem = 'must be a text or a list of texts';

const requestShape = closedObjectOf<EmbeddingRequestInput>({
  model: optional(stringShape),
  input: orElse(isString, listOf(anyShape, inputProblem)),
  dimensions: optional(countShape),
  user: optional(stringShape),
  fields: optional(objectShape),
  signal: optional(signalShape),
  cache: optional(cacheShape),
});

export interface EmbeddingCallInput {
  readonly request: EmbeddingRequest;
  readonly signal: AbortSignal | undefined;
  readonly context: CallContext | undefined;
}

/** Throws `bad-request` naming the field. */
export function toEmbeddingCall(given: EmbedInput, model: string | undefined): EmbeddingCallInput {
  checkModel(model);
  const { input, signal, cache, ...rest } = toRequestInput(given);
  const inputs = typeof input === 'string' ? [input] : input;
  const request = { ...rest, model: rest.model ?? model ?? '', inputs: checkInputs(inputs), stream: false as const };
  const context = contextOf(omitUndefined({ messages: '', cache }));
  return { request, signal, context };
}

function toRequestInput(given: EmbedInput): EmbeddingRequestInput {
  if (typeof given === 'string' || Array.isArray(given)) return { input: given as string | readonly string[] };
  if (!isRecord(given)) return rejectField('bad-request', 'input', inputProblem);
  checkShape(requestShape, given, { kind: 'bad-request' });
  return given as EmbeddingRequestInput;
}

function checkInputs(inputs: readonly EmbeddingInput[]): readonly EmbeddingInput[] {
  if (inputs.length === 0) return rejectField('bad-request', 'input', 'must not be empty');
  for (const [index, input] of inputs.entries()) {
    const problem = problemOf(input);
    if (problem !== undefined) return rejectField('bad-request', `input.${index}`, problem);
  }
  return inputs;
}

function problemOf(input: unknown): string | undefined {
  if (Array.isArray(input)) {
    const isTokens = input.length > 0 && input.every((token) => Number.isSafeInteger(token) && token >= 0);
    return isTokens ? undefined : 'must be a list of tokens, which are whole numbers';
  }
  if (typeof input !== 'string') return 'must be a text or a list of tokens';
  if (input === '') return 'must not be an empty text';
  return input.isWellFormed() ? undefined : 'must be valid Unicode, without lone surrogates';
}

export function toEmbeddings({ ended: _ended, isCached, ...response }: EmbeddingResponse, costOf: CostOf): Embeddings {
  const { vectors } = response;
  const cost = isCached ? 0 : costOf(response);
  return { ...response, vector: vectors[0] ?? [], ...(cost === undefined ? {} : { cost }) };
}
