// The versions of Anthropic's API: what a client sends in the header, and what each version refuses that the one before
// it accepted. Read on 2026-11-19 at https://platform.claude.com/docs/en/api/versioning; the texts of errors about blocks
// are not documented.

import { SimpleAgentsError } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';
import type { VersionRefusal } from '../../core/request.ts';
import type { RequestHeaders } from '../wire.ts';

export const versionHeader = 'anthropic-version';

/** The oldest first. The TypeScript SDK sends the last since 1.0, those of Python, Go and Ruby since 2.0, Java's since 3.0. */
export const apiVersions: readonly string[] = ['2023-01-01', '2023-06-01', '2026-10-21'];

type Members = Readonly<Record<string, unknown>>;

interface VersionRule {
  readonly since: string;
  /** What is refused: a field of the request, or a block of a message by its role and type. */
  readonly refused:
    | { readonly field: string }
    | { readonly role: string; readonly isIn: (block: Members) => boolean; readonly problem: string };
}

const versionRules: readonly VersionRule[] = [
  { since: '2026-10-21', refused: { field: 'temperature' } },
  { since: '2026-10-21', refused: { field: 'top_p' } },
  { since: '2026-10-21', refused: { field: 'top_k' } },
  {
    since: '2026-10-21',
    refused: {
      role: 'assistant',
      isIn: ({ type }) => type === 'document',
      problem: '`document` blocks cannot be in `assistant` messages',
    },
  },
  {
    since: '2026-10-21',
    refused: {
      role: 'user',
      isIn: (block) =>
        isCited(block) || (block['type'] === 'search_result' && recordsIn(block['content']).some(isCited)),
      problem: '`text` blocks with `citations` cannot be in `user` messages',
    },
  },
];

/** The first part of a request body that `version` refuses. */
export function findRefusal(body: unknown, version: string): VersionRefusal | undefined {
  if (!isRecord(body)) return undefined;
  for (const { since, refused } of versionRules) {
    if (version < since) continue;
    const found = 'field' in refused ? findField(body, refused.field) : findBlock(body, refused);
    if (found !== undefined) return { since, ...found };
  }
  return undefined;
}

type Found = Omit<VersionRefusal, 'since'>;

function findField(body: Members, field: string): Found | undefined {
  return body[field] === undefined ? undefined : { field, message: `${field}: Extra inputs are not permitted` };
}

function findBlock(
  { messages }: Members,
  { role, isIn, problem }: Exclude<VersionRule['refused'], { readonly field: string }>,
): Found | undefined {
  if (!Array.isArray(messages)) return undefined;
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message) || message['role'] !== role || !Array.isArray(message['content'])) continue;
    const position = message['content'].findIndex((block) => isRecord(block) && isIn(block));
    const field = `messages.${index}.content.${position}`;
    if (position >= 0) return { field, message: `${field}: ${problem}` };
  }
  return undefined;
}

function isCited({ type, citations }: Members): boolean {
  return type === 'text' && Array.isArray(citations) && citations.length > 0;
}

function recordsIn(list: unknown): Members[] {
  return Array.isArray(list) ? list.filter((item) => isRecord(item)) : [];
}

/** The version that a client asks for. A malformed one is an error, as at the vendor. */
export function decodeVersion(headers: RequestHeaders): string | undefined {
  const version = headers[versionHeader];
  if (version === undefined) return undefined;
  if (typeof version === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(version)) return version;
  const sent = JSON.stringify(String(version).slice(0, 40));
  const message = `${versionHeader}: ${sent} is not a valid version; send a date, such as ${apiVersions.at(-1)}`;
  throw new SimpleAgentsError('bad-request', message, { field: versionHeader });
}
