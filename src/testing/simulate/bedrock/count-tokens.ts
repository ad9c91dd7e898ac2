// The route that counts the tokens of a prompt at the simulated Bedrock, for a request of either operation.

import { fromLatin1 } from '../../../core/bytes.ts';
import type { ChatRequest } from '../../../core/request.ts';
import { estimateRequestTokens } from '../../../core/token-estimate.ts';
import { anthropicMessagesServer } from '../../../wire/anthropic-messages/server.ts';
import { replacesResponse } from '../../model/fault.ts';
import { throwApiError } from '../api-error.ts';
import {
  admit,
  failedExchange,
  jsonResponse,
  type SimulatedCall,
  type SimulatedExchange,
  type SimulatedExchangeOptions,
} from '../exchange.ts';
import { decodeConverseRequest } from './converse-request.ts';
import { toAnthropicBody, validateInvoke, withoutPath } from './dialect.ts';
import { validateConverse } from './validate-converse.ts';
import { checkMembers, recordAt } from './validate-value.ts';

/** The route knows models only. */
const profile = /^(?:arn:|(?:us|us-gov|eu|apac|au|ca|jp|global)\.)/u;

export function countForBedrock(
  call: SimulatedCall,
  model: string,
  options: SimulatedExchangeOptions,
): SimulatedExchange {
  if (replacesResponse(call.fault)) return failedExchange(call.fault, call.dialect);
  const { input, ...others } = recordAt(admit({ ...call, dialect: withoutPath(call.dialect) }, options), 'body');
  checkMembers(others, [], '');
  if (profile.test(model)) throwApiError("The provided model doesn't support counting tokens.");
  const inputTokens = estimateRequestTokens(decodeInput(recordAt(input, 'input'), model));
  return { response: jsonResponse(200, { inputTokens }), fault: call.fault };
}

/** Exactly one member is present. */
function decodeInput(input: Readonly<Record<string, unknown>>, model: string): ChatRequest {
  checkMembers(input, ['converse', 'invokeModel'], 'input');
  if (Object.keys(input).length !== 1) throwApiError('Exactly one member of input must be set.');
  if ('invokeModel' in input) return decodeInvoke(recordAt(input['invokeModel'], 'input.invokeModel'), model);
  const prompt = recordAt(input['converse'], 'input.converse');
  checkMembers(prompt, ['messages', 'system', 'toolConfig', 'additionalModelRequestFields'], 'input.converse');
  const body = { ...prompt, modelId: model };
  validateConverse(body);
  return decodeConverseRequest(body);
}

/** The body of the other operation is JSON in base64. */
function decodeInvoke({ body }: Readonly<Record<string, unknown>>, model: string): ChatRequest {
  const whole = toAnthropicBody(parse(body), model, false);
  validateInvoke(whole);
  return anthropicMessagesServer.decodeRequest(whole);
}

function parse(body: unknown): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(fromLatin1(atob(String(body)))));
  } catch {
    return throwApiError('The request body is not valid JSON');
  }
}
