// Chooses the route for a legacy completion: the provider's own, which gets the request unchanged, or its chat.

import { toError } from '../core/error.ts';
import type { Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { findInCompletion } from '../wire/openai-completions/types.ts';
import type { CompletionTraits } from './vendors.ts';

export interface CompletionRoute extends CompletionTraits {
  /** Calls the route. */
  readonly provider: Provider;
}

/** Without a route, every request is a chat. */
export function withCompletions(chat: Provider, route: CompletionRoute | undefined): Pick<Provider, 'open'> {
  if (route === undefined) return { open: (...call) => chat.open(...call) };
  return {
    open(request, ...call) {
      if (!isForRoute(request, route)) return chat.open(request, ...call);
      return route.provider.open(request, ...call).catch((error: unknown) => {
        // The server has no such route, or not for this model.
        if (toError(error).kind !== 'not-found' || !isChat(request)) throw error;
        return chat.open(request, ...call);
      });
    },
  };
}

/** What a chat cannot express is for the route, whatever the model. */
function isForRoute(request: ChatRequest, { models }: CompletionRoute): boolean {
  if (request.completion === undefined) return false;
  return models === undefined || models.test(request.model) || !isChat(request);
}

function isChat({ completion = {} }: ChatRequest): boolean {
  return findInCompletion(completion) === undefined;
}
