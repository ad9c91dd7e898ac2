// The control requests that a host may send, one function each. Everything else gets an error reply.

import { charactersPerToken } from '../../../core/token-estimate.ts';
import { omitUndefined } from '../../../core/json.ts';
import { reasoningEfforts, type ReasoningEffort } from '../../../core/request.ts';
import { version } from '../../../core/version.ts';
import { SimpleAgentsError } from '../../../core/error.ts';
import type { ControlReply, ControlRequest } from '../../../streamjson/control.ts';
import { numberOf, recordOf, stringOf } from '../../../streamjson/line.ts';
import { describeTally } from '../report.ts';
import { toAgents } from './host-agents.ts';
import { localCommands } from './local-commands.ts';
import { hostModes, isHostMode } from './permission-rules.ts';
import { bareModel, serversOf } from './session-description.ts';
import type { HostSession } from './session.ts';

type Answer = (request: ControlRequest, session: HostSession) => Promise<object>;

const answers: Readonly<Record<string, Answer>> = {
  initialize,
  interrupt: async ({ cancel_queued: cancelsQueue }, session) => {
    const cancelled = cancelsQueue === true ? session.withdraw() : undefined;
    return omitUndefined({ still_queued: session.interrupt(), cancelled });
  },
  cancel_async_message: async ({ message_uuid: id }, session) => ({
    cancelled: typeof id === 'string' && session.withdraw(id).length > 0,
  }),
  set_permission_mode: async ({ mode }, session) => {
    if (!isHostMode(mode)) throw invalid('mode', `must be one of ${hostModes.join(', ')}`);
    session.setPermissionMode(mode);
    return { mode };
  },
  set_model: setModel,
  set_max_thinking_tokens: async ({ max_thinking_tokens: given }, session) => {
    const tokens = numberOf(given);
    const coder = await session.start();
    coder.reasoningTokens = tokens === 0 ? undefined : tokens;
    coder.effort = tokens === 0 ? 'none' : coder.effort === 'none' ? undefined : coder.effort;
    return {};
  },
  apply_flag_settings: applySettings,
  get_settings: async (_request, session) => {
    const coder = await session.start();
    const applied = { model: bareModel(coder), effort: coder.effort ?? null };
    return { effective: {}, sources: [], applied };
  },
  get_context_usage: describeContext,
  get_session_cost: async (_request, session) => {
    const coder = await session.start();
    return { text: describeTally({ modelName: coder.modelName, tally: coder.total }) };
  },
  list_models: async (_request, session) => ({ models: await modelsOf(session) }),
  mcp_message: async ({ server_name: name, message }, session) => {
    session.servers.deliver(name, message);
    return {};
  },
  mcp_status: async (_request, session) => ({ mcpServers: serversOf(await session.start()) }),
  generate_session_title: async ({ description }) => ({ title: toTitle(stringOf(description) ?? '') }),
};

export const requestSubtypes: readonly string[] = Object.keys(answers);

export async function answerRequest(request: ControlRequest, session: HostSession): Promise<ControlReply> {
  const answer = Object.hasOwn(answers, request.subtype) ? answers[request.subtype] : undefined;
  if (answer === undefined) {
    const message = `Unsupported control request subtype: ${request.subtype}`;
    return { kind: 'error', message, code: 'unsupported_request' };
  }
  return { kind: 'success', response: { ...(await answer(request, session)) } };
}

/** A second `initialize` replaces the hooks; the system prompt stays. */
async function initialize(request: ControlRequest, session: HostSession): Promise<object> {
  const { hooks, systemPrompt, appendSystemPrompt, jsonSchema, agents, sdkMcpServers } = request;
  if (jsonSchema !== undefined && jsonSchema !== null) {
    throw invalid('jsonSchema', 'structured output is not supported; ask for JSON in the prompt');
  }
  const hasHooks = hooks !== undefined && hooks !== null;
  if (hasHooks) session.hooks.register(hooks);
  if (!session.isStarted) {
    session.subagents = toAgents(agents, 'initialize: agents');
    session.servers.register(sdkMcpServers);
    session.systemPrompt = omitUndefined({ replace: promptOf(systemPrompt), append: promptOf(appendSystemPrompt) });
  }
  const { subagents } = await session.start();
  return {
    commands: localCommands.map(({ name, takes, help }) => ({
      name: name.slice(1),
      description: help,
      argumentHint: takes,
    })),
    agents: subagents.map(({ name, description }) => ({ name, description })),
    output_style: 'default',
    available_output_styles: ['default'],
    models: await modelsOf(session),
    account: { tokenSource: 'none', apiKeySource: 'none' },
    current_permission_mode: session.permissionMode,
    forgeflare_version: version,
    ...(hasHooks ? { hooks_applied: true } : {}),
  };
}

/** Hosts send a prompt as one text or as a list of them. An empty one changes nothing. */
function promptOf(value: unknown): string | undefined {
  const parts = Array.isArray(value) ? value : [value];
  return parts.filter((part) => typeof part === 'string' && part.trim() !== '').join('\n\n') || undefined;
}

async function setModel({ model }: ControlRequest, session: HostSession): Promise<object> {
  const coder = await session.start();
  const name = stringOf(model);
  await coder.switchModel(name === 'default' ? undefined : name);
  return { model: bareModel(coder) };
}

/** Settings that hosts change during a session. Others have no effect here. */
async function applySettings({ settings }: ControlRequest, session: HostSession): Promise<object> {
  const coder = await session.start();
  const { effortLevel, model } = recordOf(settings);
  if (effortLevel !== undefined) coder.effort = toEffort(effortLevel);
  if (typeof model === 'string') await coder.switchModel(model === 'default' ? undefined : model);
  return {};
}

function toEffort(value: unknown): ReasoningEffort | undefined {
  if (value === null) return undefined;
  const effort = reasoningEfforts.find((each) => each === value);
  if (effort === undefined) throw invalid('effortLevel', `must be one of ${reasoningEfforts.join(', ')}`);
  return effort;
}

async function modelsOf(session: HostSession): Promise<object[]> {
  const { modelName } = await session.start();
  const resolvedModel = bareModel(session.coder);
  const current = { resolvedModel, displayName: resolvedModel, description: modelName };
  return [
    { ...current, value: 'default', displayName: 'Default' },
    { ...current, value: modelName },
  ];
}

/** The model reports only the sum. The parts are estimated from their sizes. */
async function describeContext(_request: ControlRequest, session: HostSession): Promise<object> {
  const coder = await session.start();
  const { system, tools, messages } = coder.contextSize;
  const window = coder.contextWindow ?? 200_000;
  const used = [
    { id: 'system_prompt', name: 'System prompt', tokens: toTokens(system), color: 'promptBorder', kind: 'used' },
    { id: 'system_tools', name: 'System tools', tokens: toTokens(tools), color: 'inactive', kind: 'used' },
    { id: 'messages', name: 'Messages', tokens: toTokens(messages), color: 'purple_FOR_SUBAGENTS_ONLY', kind: 'used' },
  ];
  const estimate = used.reduce((sum, { tokens }) => sum + tokens, 0);
  const totalTokens = session.contextTokens || estimate;
  const free = { id: 'free_space', name: 'Free space', color: 'promptBorder', kind: 'free' };
  return {
    categories: [...used, { ...free, tokens: Math.max(0, window - totalTokens) }],
    totalTokens,
    maxTokens: window,
    rawMaxTokens: window,
    percentage: Math.round((100 * totalTokens) / window),
    gridRows: [],
    model: bareModel(coder),
    memoryFiles: [],
    mcpTools: [],
    agents: [],
  };
}

function toTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

const longestTitle = 60;

/** The first line of the prompt, without asking a model. */
function toTitle(description: string): string {
  const [line = ''] = description.trim().split('\n', 1);
  return line.length <= longestTitle ? line : `${line.slice(0, longestTitle - 1).trimEnd()}…`;
}

function invalid(field: string, problem: string): SimpleAgentsError {
  return new SimpleAgentsError('bad-request', `${field}: ${problem}`, { field });
}
