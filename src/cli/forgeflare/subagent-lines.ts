// The lines about subagents: one for each call, indented below the Task call. While several subagents run, each line names
// its own. Results are shown only if they are errors, file changes as diffs, everything else with --verbose.

import type { AgentEvent, ToolEnd, TurnEnd } from '../../agent/event.ts';
import { isRecord } from '../../core/json.ts';
import { describeUsageAndCost } from '../response-writer.ts';
import type { Paint } from '../terminal/terminal.ts';
import { describeEvent } from './event-lines.ts';
import { LiveLines } from './live-lines.ts';
import {
  cut,
  describeCall,
  describeResult,
  isFileChange,
  paintDiffLine,
  toSafeLine,
  toSafeText,
} from './tool-lines.ts';

interface RunningTask {
  readonly label: string;
  /** An event of its subagent has arrived. */
  isStarted: boolean;
  /** Another subagent ran at the same time. */
  isShared: boolean;
  calls: number;
  end?: TurnEnd;
}

/** The subagent of a call that has ended. */
export interface EndedSubagent {
  /** Its task; empty if no other subagent ran at the same time. */
  readonly label: string;
  /** `3 tool calls · 1200 in, 300 out · $0.02` */
  readonly used: string;
}

const longestLabel = 40;

export class SubagentLines {
  readonly #paint: Paint;
  readonly #verbose: boolean;
  readonly #output: LiveLines;
  /** By the id of the Task call. */
  readonly #tasks = new Map<string, RunningTask>();

  /** `most`: how many lines of one call's output are shown. */
  constructor({ paint, verbose, most }: { readonly paint: Paint; readonly verbose: boolean; readonly most: number }) {
    this.#paint = paint;
    this.#verbose = verbose;
    this.#output = new LiveLines(most);
  }

  /** A call has started, which may turn out to run a subagent. */
  begin(id: string, input: unknown): void {
    const task = isRecord(input) && typeof input['description'] === 'string' ? input['description'] : '';
    this.#tasks.set(id, { label: cut(toSafeLine(task), longestLabel), isStarted: false, isShared: false, calls: 0 });
  }

  /** The lines to show for an event of the subagent that the call `id` runs. */
  push(id: string, event: AgentEvent): string[] {
    const task = this.#tasks.get(id);
    if (task === undefined) return [];
    task.isStarted = true;
    const started = [...this.#tasks.values()].filter(({ isStarted }) => isStarted);
    if (started.length > 1) for (const each of started) each.isShared = true;
    const name = task.isShared && task.label !== '' ? `${this.#paint('cyan', task.label)}: ` : '';
    return this.#linesOf(event, task).map((line) => `  ${this.#paint('dim', '│')} ${name}${line}`);
  }

  /** Undefined if the call ran no subagent. */
  end(id: string): EndedSubagent | undefined {
    const task = this.#tasks.get(id);
    this.#tasks.delete(id);
    if (task?.end === undefined) return undefined;
    const { usage, cost } = task.end;
    const bill = describeUsageAndCost(cost === undefined ? { usage } : { usage, cost });
    const used = `${task.calls} tool ${task.calls === 1 ? 'call' : 'calls'} · ${bill}`;
    return { label: task.isShared ? task.label : '', used };
  }

  #linesOf(event: AgentEvent, task: RunningTask): string[] {
    switch (event.type) {
      case 'tool-start':
        task.calls += 1;
        this.#output.begin(event.id, event.name);
        return [describeCall(event.name, event.input)];
      case 'tool-output':
        return this.#outputLines(this.#output.nameOf(event.id), this.#output.push(event.id, event.chunk));
      case 'tool-end':
        return [...this.#outputLines(event.name, this.#output.end(event.id)), ...this.#resultLines(event)];
      case 'turn-end':
        task.end = event;
        return [];
      default: {
        const line = describeEvent(event);
        return line === undefined ? [] : [this.#paint('yellow', line)];
      }
    }
  }

  #outputLines(name: string, lines: readonly string[]): string[] {
    const isDiff = isFileChange(name);
    if (!isDiff && !this.#verbose) return [];
    const safe = lines.map((line) => toSafeText(line));
    return safe.map((line) => `  ${isDiff ? paintDiffLine(line, this.#paint) : this.#paint('dim', line)}`);
  }

  #resultLines({ name, result, duration }: ToolEnd): string[] {
    if (result.isError !== true && !this.#verbose) return [];
    const line = `  ${toSafeLine(name)}: ${describeResult(result, duration)}`;
    return [this.#paint(result.isError === true ? 'red' : 'dim', line)];
  }
}
