// One error class with a closed list of kinds. An error says what went wrong, whether a retry may help, and what to do.

import { createClient, SimpleAgentsError, type Client } from '../src/index.ts';

await attempt('an unknown model', createClient(), 'nowhere/model');
await attempt('an unreachable server', createClient({ baseUrl: 'http://127.0.0.1:9/v1' }), 'any');
await attempt('a misspelt provider', createClient({ provider: 'opnai' }), 'gpt');

async function attempt(what: string, client: Client, model: string): Promise<void> {
  try {
    await client.complete('Hello', model);
  } catch (error) {
    if (!(error instanceof SimpleAgentsError)) throw error;
    const { kind, message, retryable, advice } = error;
    console.log(`${what}: ${kind}, ${retryable ? 'retryable' : 'final'}\n  ${message}\n  ${advice}`);
  }
}
