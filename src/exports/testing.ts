// `simple-agents/testing`: models for tests that need no key and no network. The simulated model as a provider and as an
// HTTP server, and recordings of real responses.

export { createSimulatedProvider, type SimulatedOptions } from '../testing/model/provider.ts';
export { createSimulateServer, type SimulateOptions, type SimulateServer } from '../testing/simulate/server.ts';
export { createRecordedTransport, type RecordedOptions } from '../transport/recorded/recorded.ts';
