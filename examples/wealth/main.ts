// Runs the finance assistant: `npm run wealth`. With a provider's key in the environment a real model answers, named by
// WEALTH_MODEL if it is to be another than the provider's usual one; without a key a script stands in for one.

import { createSimulatedProvider } from '../../src/exports/testing.ts';
import { createClient } from '../../src/index.ts';
import { openDatabase } from './database.ts';
import { createScript } from './script.ts';
import { createWealthServer } from './server.ts';

const { WEALTH_MODEL: model, PORT: port = '4100', WEALTH_DATABASE: path } = process.env;
const client = createClient(model === undefined ? {} : { model });
const target = await client.resolve();
const database = openDatabase(path);
const isSimulated = target.provider.type === 'simulated';
const standIn = () =>
  createSimulatedProvider({ script: createScript(database), tokensPerSecond: 70, firstTokenDelayMs: 250 });

const line = (record: object): void => console.error(JSON.stringify(record));
const server = createWealthServer({
  database,
  provider: isSimulated ? standIn() : client.provider,
  port: Number(port),
  logger: { debug: () => undefined, info: line, warn: line, error: line },
});

console.log(`listening on ${await server.listen()}`);
console.log(
  isSimulated
    ? 'No API key found; a script answers instead of a model.'
    : `${target.provider.name}/${target.model} answers.`,
);

const close = async (): Promise<void> => {
  await server.close({ drain: 10_000 });
  await client.close();
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close());

// A failure that nobody caught must not end the answers of other users.
process.on('unhandledRejection', (reason) => server.reportUnhandled('rejection', reason));
process.on('uncaughtException', (error) => {
  server.reportUnhandled('exception', error);
  void close().finally(() => process.exit(1));
});
