// `POST /v1/chat/completions`: the OpenAI chat wire, streaming or not.

import { openaiChatServer } from '../../wire/openai-chat/server.ts';
import { handleModelCall } from './model-call.ts';
import type { HttpRoute } from './http-route.ts';

export const chatCompletions: HttpRoute = {
  method: 'POST',
  path: '/v1/chat/completions',
  access: 'call',
  wire: openaiChatServer,
  handle: handleModelCall,
};
