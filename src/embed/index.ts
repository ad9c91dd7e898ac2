// The entry point for other engines: the client, the gateway and healing without any `node:` module. The host passes in a
// `ClientRuntime` with its transport and settings. test/repository/embed.test.ts bundles this file and fails when an
// import of Node slips in.

export { createClient, type Client } from '../client/client.ts';
export type { ClientOptions } from '../client/options.ts';
export type { ClientRuntime } from '../client/runtime.ts';
export { errorTable, SimpleAgentsError } from '../core/error.ts';
export { createGateway } from '../gateway/gateway.ts';
export { heal, healStream } from '../heal/index.ts';
export { createSimulatedProvider } from '../testing/model/provider.ts';
