// Runs the finance assistant: `npm run wealth`. With a provider's key in the environment it uses a real model, which
// WEALTH_MODEL can select. Without a key it uses scripted replies.

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
    ? 'No API key found; using scripted replies instead of a model.'
    : `Using ${target.provider.name}/${target.model}.`,
);

const close = async (): Promise<void> => {
  await server.close({ drain: 10_000 });
  await client.close();
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close());

// An unhandled failure must not end the responses to other users.
process.on('unhandledRejection', (reason) => server.reportUnhandled('rejection', reason));
process.on('uncaughtException', (error) => {
  server.reportUnhandled('exception', error);
  void close().finally(() => process.exit(1));
});
