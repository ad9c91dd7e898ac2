// One class, a closed list of kinds: what went wrong, whether another try may help, and what to do.

import { createClient, SimpleAgentsError, type Client } from '../src/index.ts';

await attempt('a model nobody has', createClient(), 'nowhere/model');
await attempt('a server that is not there', createClient({ baseUrl: 'http://127.0.0.1:9/v1' }), 'any');
await attempt('a provider that is misspelt', createClient({ provider: 'opnai' }), 'gpt');

async function attempt(what: string, client: Client, model: string): Promise<void> {
  try {
    await client.complete('Hello', model);
  } catch (error) {
    if (!(error instanceof SimpleAgentsError)) throw error;
    const { kind, message, retryable, advice } = error;
    console.log(`${what}: ${kind}, ${retryable ? 'worth another try' : 'final'}\n  ${message}\n  ${advice}`);
  }
}
