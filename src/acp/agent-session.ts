// What the ACP layer needs of an agent: sessions that run turns. Our own agent and a stream-json process implement it. The
// ACP layer knows neither a process nor a file.

import type { AgentEvent, TurnEnd } from '../agent/event.ts';
import type { Block, Message } from '../core/message.ts';
import type { AvailableCommand, ConfigOption, SessionInfo, SessionMode } from './types.ts';

/** A program that has sessions. */
export interface AgentSource {
  readonly title: string;
  readonly abilities: SourceAbilities;
  /** Called when a session will probably be opened soon. */
  prepare?(): void;
  create(request: SessionRequest): Promise<AgentSession>;
  /** Opens a session that was closed, or that another process wrote. Rejects with `not-found` if there is none. */
  open(id: string, request: SessionRequest): Promise<AgentSession>;
  /** Most recently used first. Without a folder: of all folders that are known. */
  list(folder?: string): Promise<readonly SessionInfo[]>;
  /** Rejects with `not-found` if there is none. */
  delete(id: string): Promise<void>;
  /** Rejects if the agent cannot reach its model with the credentials that it has. */
  authenticate(): Promise<void>;
}

export interface SourceAbilities {
  /** The conversation of an earlier session can be shown. */
  readonly load: boolean;
  readonly list: boolean;
  readonly delete: boolean;
  readonly mcp: { readonly http: boolean; readonly sse: boolean };
}

export interface SessionRequest {
  /** Absolute. */
  readonly folder: string;
  /** As the client sent them. */
  readonly mcpServers: readonly unknown[];
  readonly host: SessionHost;
}

/** What the client does for a session. */
export interface SessionHost {
  /** Never rejects. Resolves to `no` if the client cannot ask, and to `cancelled` if the turn is cancelled. */
  askPermission(question: PermissionAsk, signal: AbortSignal): Promise<AskReply>;
  /** Undefined if the client does not offer it. */
  readonly readFile?: (path: string) => Promise<string | undefined>;
  readonly writeFile?: (path: string, text: string) => Promise<void>;
  /** A text for the user, outside the conversation. */
  tell(text: string): void;
  /** The mode, an option or the list of commands changed, and not on the client's request. */
  changed(what: 'mode' | 'options' | 'commands'): void;
}

export interface PermissionAsk {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  /** Why the user is asked. */
  readonly reason?: string;
  /** What `always` would allow: `this command`, `file changes`. */
  readonly scope: string;
  /** The complete change, if the call changes a file. */
  readonly unifiedDiff?: string;
}

export type AskReply = 'once' | 'always' | 'no' | 'never' | 'cancelled';

export interface AgentSession {
  readonly id: string;
  readonly modes: readonly SessionMode[];
  readonly modeId: string;
  /** Beside the mode. */
  readonly options: readonly ConfigOption[];
  readonly commands: readonly AvailableCommand[];
  /** In tokens, if known. */
  readonly contextWindow: number | undefined;
  /** US dollars so far, if known. */
  readonly cost: number | undefined;
  /** The conversation of earlier runs. */
  readonly history: readonly Message[];
  /** Runs one turn. Every event reaches `watch` before it resolves. */
  run(prompt: readonly Block[], watch: (event: AgentEvent) => void, signal: AbortSignal): Promise<TurnEnd>;
  setMode(id: string): Promise<void>;
  setOption(id: string, value: string): Promise<void>;
  close(): Promise<void>;
}
