// The package's main entry point, `simple-agents`: what most users need. Policies, routing, caches and prices
// are in `simple-agents/gateway`, healing alone in `simple-agents/heal`, the HTTP server in `simple-agents/server`, the
// simulated model in `simple-agents/testing`.

export { createAgent, type Agent, type AgentOptions, type ModelSource } from './agent/agent.ts';
export type * from './agent/event.ts';
export type { Subagent, SubagentObserver } from './agent/subagent.ts';
export type { AgentResult, AgentRun } from './agent/run.ts';
export {
  defineTool,
  type Tool,
  type ToolAnswer,
  type ToolAnswerPart,
  type ToolContext,
  type ToolEffect,
  type ToolSpec,
  type TurnAccount,
} from './agent/tool.ts';
export type { Client } from './client/client.ts';
export type { Completion, CompletionChoice } from './client/completion.ts';
export type { EmbedInput, EmbeddingRequestInput, Embeddings } from './client/embedding.ts';
export type { ClientCacheOptions, ClientOptions } from './client/options.ts';
export type { MessageInput, PromptInput, RequestInput, TypedRequestInput } from './client/request.ts';
export type { CompletionStream } from './client/completion-stream.ts';
export type { PartialOptions, TypedStream } from './client/typed-stream.ts';
export type { HealingOptions, TypedCompletion } from './client/typed.ts';
export type { CallEvent, Observer, OnCut } from './core/call.ts';
export type * from './core/embedding.ts';
export { errorTable, SimpleAgentsError, type ErrorKind, type ErrorRow } from './core/error.ts';
export type * from './core/event.ts';
export type { JsonObject, JsonSchema, JsonValue } from './core/json.ts';
export { argumentsOf, text, textOf, toolCallsOf } from './core/message.ts';
export type * from './core/message.ts';
export type { ModelStream, Outcome, Provider } from './core/provider.ts';
export type * from './core/request.ts';
export type { Usage } from './core/usage.ts';
export {
  alias,
  HealError,
  streamDone,
  streamNotNull,
  streamState,
  type Flag,
  type FlagKind,
  type HealErrorKind,
  type InferOutput,
  type PartialOf,
  type SchemaInput,
} from './heal/index.ts';
export type { ElicitationQuestion, ElicitationReply } from './mcp/elicitation.ts';
export type { McpTools, McpToolsOptions } from './mcp/mcp-tools.ts';
export type { McpServerState } from './mcp/server-link.ts';
export type { HttpServerSettings, McpServers, McpServerSettings, StdioServerSettings } from './mcp/settings.ts';
export { createClient, mcpTools, SimpleAgentsClient } from './node.ts';
export type { Transport, TransportRequest, TransportResponse } from './transport/transport.ts';
