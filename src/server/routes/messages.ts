// `POST /v1/messages`: the Anthropic Messages wire, streaming or not.

import { anthropicMessagesServer } from '../../wire/anthropic-messages/server.ts';
import { answerCall } from './model-call.ts';
import type { Route } from './route.ts';

export const messages: Route = {
  method: 'POST',
  path: '/v1/messages',
  access: 'call',
  wire: anthropicMessagesServer,
  handle: answerCall,
};
