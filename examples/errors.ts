// One error class with a closed list of kinds. An error says what went wrong, whether a retry may help, and what to do.

import { createClient, SimpleAgentsError, type ClientOptions } from '../src/index.ts';

await attempt('an unknown model', {}, 'nowhere/model');
await attempt('an unreachable server', { baseUrl: 'http://127.0.0.1:9/v1' }, 'any');
await attempt('a misspelt provider', { provider: 'opnai' }, 'gpt');

async function attempt(what: string, options: ClientOptions, model: string): Promise<void> {
  try {
    await createClient(options).complete('Hello', model);
  } catch (error) {
    if (!(error instanceof SimpleAgentsError)) throw error;
    const { kind, message, retryable, advice } = error;
    console.log(`${what}: ${kind}, ${retryable ? 'retryable' : 'final'}\n  ${message}\n  ${advice}`);
  }
}
