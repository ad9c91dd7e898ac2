// `POST /v1/completions`: OpenAI's legacy completions API, streaming or not.

import { openaiCompletionsServer } from '../../wire/openai-completions/server.ts';
import { handleModelCall } from './model-call.ts';
import type { HttpRoute } from './http-route.ts';

export const completions: HttpRoute = {
  method: 'POST',
  path: '/v1/completions',
  access: 'call',
  wire: openaiCompletionsServer,
  handle: handleModelCall,
};
