// Renders the agent's events as frames of the chat stream: text as it arrives, the start and end of tools, and at the end
// the error, the usage and `[DONE]`.
// Invariants:
//   1. `[DONE]` is sent exactly once, as the last frame, also after an error.
//   2. No text is sent twice: a response is restarted only before any of its text was sent (`restart: 'before-text'`).

import type { AgentEvent, ToolEnd, TurnEnd } from '../../agent/event.ts';
import type { StreamEvent } from '../../core/event.ts';
import { omitUndefined, type JsonObject } from '../../core/json.ts';
import { userErrorFor } from './user-error.ts';

export class ChatRenderer {
  /** Blocks of the current message whose text arrived in deltas. */
  readonly #streamed = new Set<number>();

  /** Returns an empty string for events that the user does not see. */
  push(event: AgentEvent): string {
    switch (event.type) {
      case 'model-event':
        return this.#renderModelEvent(event.event);
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

  /** A provider may send a complete block without deltas. */
  #renderModelEvent(event: StreamEvent): string {
    if (event.type === 'message-start') this.#streamed.clear();
    if (event.type === 'text-delta') {
      this.#streamed.add(event.index);
      return renderText(event.text);
    }
    if (event.type !== 'block-end' || event.block.type !== 'text' || this.#streamed.has(event.index)) return '';
    return renderText(event.block.text);
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
  const error = userErrorFor(end);
  const counts = missing ? '' : frame({ usage: omitUndefined({ ...usage, cost: end.cost }) });
  return `${error === undefined ? '' : frame({ error })}${counts}data: [DONE]\n\n`;
}

function frame(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
