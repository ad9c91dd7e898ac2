// `POST /v1/messages`: the Anthropic Messages wire, streaming or not.

import { anthropicMessagesServer } from '../../wire/anthropic-messages/server.ts';
import { handleModelCall } from './model-call.ts';
import type { HttpRoute } from './http-route.ts';

export const messages: HttpRoute = {
  method: 'POST',
  path: '/v1/messages',
  access: 'call',
  wire: anthropicMessagesServer,
  handle: handleModelCall,
};
