// The parts of the Agent Client Protocol, version 1, that we send. The official schema is the judge; tests check our
// messages against it.

export type AcpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string; readonly uri?: string | null }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string };

export type ToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'switch_mode'
  | 'other';

export type ToolCallStatus = 'pending' | 'in_progress' | 'completed' | 'failed';

export type ToolCallContent =
  | { readonly type: 'content'; readonly content: AcpContent }
  | { readonly type: 'diff'; readonly path: string; readonly oldText: string | null; readonly newText: string }
  | { readonly type: 'terminal'; readonly terminalId: string };

export interface ToolCallLocation {
  readonly path: string;
  /** From 1. */
  readonly line?: number;
}

export interface PlanEntry {
  readonly content: string;
  readonly priority: 'high' | 'medium' | 'low';
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** Metadata of our own, which clients may ignore. */
export interface WithMeta {
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface ToolCallMembers {
  readonly title: string;
  readonly name: string;
  readonly kind: ToolKind;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
  readonly rawInput: unknown;
}

export type SessionUpdate = WithMeta &
  (
    | {
        readonly sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';
        readonly content: AcpContent;
        readonly messageId?: string;
      }
    | ({
        readonly sessionUpdate: 'tool_call';
        readonly toolCallId: string;
        readonly status: ToolCallStatus;
      } & ToolCallMembers)
    | ({
        readonly sessionUpdate: 'tool_call_update';
        readonly toolCallId: string;
        readonly status?: ToolCallStatus;
        readonly rawOutput?: unknown;
      } & Partial<ToolCallMembers>)
    | { readonly sessionUpdate: 'plan'; readonly entries: readonly PlanEntry[] }
    | { readonly sessionUpdate: 'current_mode_update'; readonly currentModeId: string }
    | { readonly sessionUpdate: 'config_option_update'; readonly configOptions: readonly ConfigOption[] }
    | { readonly sessionUpdate: 'available_commands_update'; readonly availableCommands: readonly AvailableCommand[] }
    | { readonly sessionUpdate: 'session_info_update'; readonly title?: string; readonly updatedAt?: string }
    | { readonly sessionUpdate: 'usage_update'; readonly used: number; readonly size: number; readonly cost?: AcpCost }
    | {
        readonly sessionUpdate: 'notice';
        readonly severity: 'info' | 'warning' | 'error';
        readonly title: string;
        readonly description?: string;
      }
    | { readonly sessionUpdate: 'compaction_update'; readonly compactionId: string; readonly status: 'completed' }
  );

export interface AcpCost {
  /** Of the session so far. */
  readonly amount: number;
  readonly currency: 'USD';
}

export interface AvailableCommand {
  readonly name: string;
  readonly description: string;
  readonly input?: { readonly hint: string } | null;
}

export interface SessionMode {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

export interface ConfigOption {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly category?: 'mode' | 'model' | 'thought_level';
  readonly type: 'select';
  readonly currentValue: string;
  readonly options: readonly ConfigValue[];
}

export interface ConfigValue {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

export interface SessionInfo {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title?: string;
  /** ISO 8601. */
  readonly updatedAt?: string;
}

export interface SessionNotification {
  readonly jsonrpc: '2.0';
  readonly method: 'session/update';
  readonly params: { readonly sessionId: string; readonly update: SessionUpdate };
}

export type AcpStopReason = 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled';

export const acpErrorCodes = {
  authRequired: -32_000,
  notFound: -32_002,
  invalidParams: -32_602,
  internalError: -32_603,
} as const;
