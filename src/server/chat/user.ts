// The user of a chat, and the functions of an application that depend on it.

import type { Tool } from '../../agent/tool.ts';
import { isRecord } from '../../core/json.ts';

/** An application's user type may have further members. */
export interface ChatUser {
  /** Used by the rate limit and in the log. */
  readonly id: string;
}

/**
 * Identifies the sender of a request by its headers; the body has not been read. If it returns nothing or throws, the
 * client gets 401. Replaces the keys for the chat and for the application's routes with `access: 'user'`.
 */
export type Authenticate<User extends ChatUser = ChatUser> = (
  request: Request,
) => User | null | undefined | Promise<User | null | undefined>;

/** The same tools for all users, or a function that creates the tools of one user. */
export type ToolSource<User extends ChatUser = ChatUser> =
  | readonly Tool[]
  | ((user: User) => readonly Tool[] | Promise<readonly Tool[]>);

/** Checked at run time for JavaScript callers, so that `true` is not accepted as a user. */
export function isUser(value: unknown): value is ChatUser {
  return isRecord(value) && typeof value['id'] === 'string' && value['id'] !== '';
}
