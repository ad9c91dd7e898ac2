// Who asks, as an application knows them, and what of the application depends on that.

import type { Tool } from '../../agent/tool.ts';
import { isRecord } from '../../core/json.ts';

/** An application's own user has what it likes beside the id. */
export interface ChatUser {
  /** Counts requests by it, and the log names it. */
  readonly id: string;
}

/**
 * Says who sent a request, by its headers; its body has not been read. Nobody: 401, and so is what it throws. It stands in
 * the place of the keys for whatever is a user's: the chat, and routes of the application.
 */
export type Authenticate<User extends ChatUser = ChatUser> = (
  request: Request,
) => User | null | undefined | Promise<User | null | undefined>;

/** The tools of everybody, or those of one user: a function can hand the user to each of them. */
export type ToolSource<User extends ChatUser = ChatUser> =
  | readonly Tool[]
  | ((user: User) => readonly Tool[] | Promise<readonly Tool[]>);

/** TypeScript has checked this already; for others `true` must not pass as somebody. */
export function isUser(value: unknown): value is ChatUser {
  return isRecord(value) && typeof value['id'] === 'string' && value['id'] !== '';
}
