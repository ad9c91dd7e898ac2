// A question that a server asks the user during a call.

export interface ElicitationQuestion {
  readonly server: string;
  readonly message: string;
  /** A JSON Schema of an object with simple members. */
  readonly schema: unknown;
}

export type ElicitationReply =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, string | number | boolean | string[]>> }
  | { readonly action: 'decline' | 'cancel' };

export type Elicit = (question: ElicitationQuestion) => Promise<ElicitationReply>;
