// The entry point for other engines: the client, the gateway and healing without any `node:` module.
// test/repository/embed.test.ts bundles this file and fails when an import of Node slips in.

export { createEngine } from './engine.ts';
export type { Engine, EngineHost, ConnectionOptions, HostFailure, HostRequest, HostResponseHead } from './host.ts';
export type { Call, ErrorReply, Reply, StreamItem } from './protocol.ts';
