// The agent's events as the frames of the chat: words as they come, tools as they start and end, and at the end what went
// wrong, what was used, and `[DONE]`.
// Invariants:
//   1. `[DONE]` comes once, last, whatever happened.
//   2. No word is sent twice: an answer begins anew only while none of its words were sent (`restart: 'before-text'`).

import type { AgentEvent, ToolEnd, TurnEnd } from '../../agent/event.ts';
import type { StreamEvent } from '../../core/event.ts';
import { omitUndefined, type JsonObject } from '../../core/json.ts';
import { userErrorFor } from './user-error.ts';

export class ChatRenderer {
  /** Blocks of the answer under way whose words came piece by piece. */
  readonly #spoken = new Set<number>();

  /** Nothing for what is not for the user. */
  push(event: AgentEvent): string {
    switch (event.type) {
      case 'model-event':
        return this.#renderWords(event.event);
      case 'tool-start':
        return frame({ tool: { id: event.id, name: event.name, status: 'start' } });
      case 'tool-end':
        return renderToolEnd(event);
      case 'turn-end':
        return renderEnd(event);
      default:
        return '';
    }
  }

  /** A provider may give a block as a whole, without its pieces. */
  #renderWords(event: StreamEvent): string {
    if (event.type === 'message-start') this.#spoken.clear();
    if (event.type === 'text-delta') {
      this.#spoken.add(event.index);
      return renderText(event.text);
    }
    const isWhole = event.type === 'block-end' && event.block.type === 'text' && !this.#spoken.has(event.index);
    return isWhole && event.block.type === 'text' ? renderText(event.block.text) : '';
  }
}

function renderText(content: string): string {
  return content === '' ? '' : frame({ content });
}

function renderToolEnd({ id, name, duration, result: { isError } }: ToolEnd): string {
  return frame({ tool: omitUndefined({ id, name, status: 'end', durationMs: Math.round(duration), isError }) });
}

function renderEnd(end: TurnEnd): string {
  const { missing, ...usage } = end.usage;
  const apology = userErrorFor(end);
  const counts = missing ? '' : frame({ usage: omitUndefined({ ...usage, cost: end.cost }) });
  return `${apology === undefined ? '' : frame({ error: apology })}${counts}data: [DONE]\n\n`;
}

function frame(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
