// `POST /v1/chat/completions`: the OpenAI chat wire, streaming or not.

import { openaiChatServer } from '../../wire/openai-chat/server.ts';
import { answerCall } from './model-call.ts';
import type { Route } from './route.ts';

export const chatCompletions: Route = {
  method: 'POST',
  path: '/v1/chat/completions',
  access: 'call',
  wire: openaiChatServer,
  handle: answerCall,
};
