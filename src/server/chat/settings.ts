// What may be said of the chat route, and what holds when nothing is said.

export interface ChatSettings {
  /** What the model is told before the conversation. */
  readonly system?: string;
  /** Left out: the provider's default. */
  readonly model?: string;
  readonly temperature?: number;
  /** For one answer of the model. */
  readonly maxTokens?: number;
  /** How many questions a user may ask in `rateWindow`; 0: as many as they like. */
  readonly rateLimit?: number;
  /** Milliseconds. */
  readonly rateWindow?: number;
  /** Write what the model gave to a tool into the log. It may say anything the user said. */
  readonly logToolInput?: boolean;
}

type ChatDefaults = Required<Omit<ChatSettings, 'system' | 'model'>>;

export type KnownChatSettings = ChatSettings & ChatDefaults;

export const defaultChatSettings: ChatDefaults = {
  temperature: 0.3,
  maxTokens: 4096,
  rateLimit: 30,
  rateWindow: 60_000,
  logToolInput: false,
};
