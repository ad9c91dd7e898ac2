// Writes context.md: an overview of a session for people, with its place, times and tool calls.

import { isRecord } from '../../core/json.ts';
import { toolCallsOf, type Message } from '../../core/message.ts';
import { addUsage, noUsage, promptTokens, type Usage } from '../../core/usage.ts';

export interface SessionFacts {
  readonly id: string;
  readonly model: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly cwd: string;
  readonly version: string;
}

const longestArgument = 200;

export class KeyActions {
  /** By call id, because a call can be reported twice. */
  readonly #lines = new Map<string, string>();
  /** The lines of subagents, by the call that started them. */
  readonly #nested = new Map<string, Map<string, string>>();
  #usage: Usage = noUsage;

  add(message: Message, usage?: Usage): void {
    this.#addTo(this.#lines, message, usage);
  }

  /** `callId`: the call that started the subagent. */
  addNested(callId: string, message: Message, usage?: Usage): void {
    const lines = this.#nested.get(callId) ?? new Map<string, string>();
    this.#nested.set(callId, lines);
    this.#addTo(lines, message, usage);
  }

  #addTo(lines: Map<string, string>, { role, content }: Message, usage?: Usage): void {
    if (usage !== undefined) this.#usage = addUsage(this.#usage, usage);
    if (role !== 'assistant') return;
    for (const { id, name, input } of toolCallsOf(content)) lines.set(id, `- **${name}**: ${firstArgument(input)}`);
  }

  #actionLines(): string[] {
    return [...this.#lines].flatMap(([id, line]) => {
      const nested = [...(this.#nested.get(id)?.values() ?? [])];
      return [line, ...nested.map((each) => `  ${each}`)];
    });
  }

  toMarkdown({ id, model, startedAt, updatedAt, cwd, version }: SessionFacts): string {
    const actions = this.#lines.size === 0 ? ['None.'] : this.#actionLines();
    return [
      `# Session ${id}`,
      '',
      `- **Model**: ${model}`,
      `- **Started**: ${startedAt}`,
      `- **Updated**: ${updatedAt}`,
      `- **Directory**: ${cwd}`,
      `- **Version**: ${version}`,
      `- **Tokens**: ${promptTokens(this.#usage)} in, ${this.#usage.output} out`,
      '',
      '## Key Actions',
      '',
      ...actions,
      '',
    ].join('\n');
  }
}

/** The first argument of a call on one line, shortened. */
export function firstArgument(input: unknown): string {
  const [first] = isRecord(input) ? Object.values(input) : [input];
  const text = typeof first === 'string' ? first : (JSON.stringify(first) ?? '');
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const characters = Array.from(line.slice(0, 2 * longestArgument + 2));
  return characters.length > longestArgument ? `${characters.slice(0, longestArgument).join('')}…` : line;
}
