// The settings of the chat route and their defaults.

export interface ChatSettings {
  /** The system prompt. */
  readonly system?: string;
  /** Left out: the provider's default. */
  readonly model?: string;
  readonly temperature?: number;
  /** For one response of the model. */
  readonly maxTokens?: number;
  /** Messages that a user may send in `rateWindow`. 0: no limit. */
  readonly rateLimit?: number;
  /** Milliseconds. */
  readonly rateWindow?: number;
  /** Log the input of tools. It may contain anything that the user wrote. */
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
