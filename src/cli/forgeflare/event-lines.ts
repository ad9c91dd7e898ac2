// Lines for agent events other than text: retries, restarts, continuations, trimmed context.

import type { AgentEvent, AgentNotice, ContextTrim, RetryWait } from '../../agent/event.ts';
import { describeStatus } from '../failure.ts';
import { cut, describeSize, toSafeLine } from './tool-lines.ts';

/** Undefined for events that are not shown as a line. */
export function describeEvent(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'retry-wait':
      return describeRetry(event);
    case 'stream-restart':
      return '[retry] Retrying from beginning of response...';
    case 'context-trim':
      return describeTrim(event);
    case 'notice':
      return describeNotice(event);
    default:
      return undefined;
  }
}

const longestReason = 200;

function describeRetry({ attempt, limit, delay, error }: RetryWait): string {
  const reason = cut(toSafeLine(error.message), longestReason);
  const status = describeStatus(error);
  const what = status === '' ? reason : `${status}${error.kind}: ${reason}`;
  return `[retry] Attempt ${attempt}/${limit}: ${what} — waiting ${Math.round(delay / 100) / 10}s`;
}

export function describeTrim({ how, exchanges, blocks, before, after }: ContextTrim): string {
  const what = how === 'summary' ? 'summarised' : 'removed';
  const parts = [
    exchanges > 0 ? `${exchanges} old ${exchanges === 1 ? 'exchange was' : 'exchanges were'} ${what}` : '',
    blocks > 0 ? `${blocks} long ${blocks === 1 ? 'block was' : 'blocks were'} shortened` : '',
  ].filter((part) => part !== '');
  return `[context] ${parts.join(', ')}: ${describeSize(before)} → ${describeSize(after)}`;
}

function describeNotice({ kind, detail }: AgentNotice): string {
  const tag = kind === 'continuation' ? 'continue' : 'warning';
  return `[${tag}] ${cut(toSafeLine(detail), 2 * longestReason)}`;
}
