// Parses an agent file: markdown with front matter. It reports all problems at once, each with its line and a fix. The front
// matter is a subset of YAML: one `key: value` per line, `tools` also as a list. Values end with their line.

import { isToolName } from '../../agent/tool.ts';
import { taskToolName } from '../../agent/subagent.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { AgentDefinition } from './agent-definition.ts';

const keys = ['name', 'description', 'tools', 'model'];

export type ParsedAgent =
  | { readonly agent: AgentDefinition }
  /** Each is a line: `.forgeflare/agents/reviewer.md:2: name: must not be empty`. */
  | { readonly problems: readonly string[] };

/** `shown` is the file's name in messages. */
export function parseAgentFile(text: string, shown: string): ParsedAgent {
  const check = new FileCheck(shown);
  const agent = check.file(text.replace(/^\uFEFF/, '').split(/\r?\n/));
  if (check.problems.length === 0) return { agent };
  const sorted = check.problems.toSorted((left, right) => left.line - right.line);
  return { problems: sorted.map(({ line, message }) => `${shown}:${line}: ${message}`) };
}

/** A key of the front matter. */
interface Entry {
  readonly line: number;
  /** As written after the colon. */
  readonly value: string;
  /** The items of a list below the key. */
  readonly items: string[];
}

const example = 'begin the file with ---, name: …, description: … and --- on lines of their own';

class FileCheck {
  readonly problems: { readonly line: number; readonly message: string }[] = [];
  readonly #shown: string;

  constructor(shown: string) {
    this.#shown = shown;
  }

  file(lines: readonly string[]): AgentDefinition {
    const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
    if (lines[0]?.trimEnd() !== '---' || end === -1) {
      this.#report(
        1,
        `has no ${end === -1 && lines[0]?.trimEnd() === '---' ? 'complete ' : ''}front matter; ${example}`,
      );
      return { name: '', description: '' };
    }
    const entries = this.#entries(lines.slice(1, end));
    const prompt = lines
      .slice(end + 1)
      .join('\n')
      .trim();
    if (prompt === '')
      this.#report(end + 1, 'has no prompt; write the instructions of the agent below the front matter');
    const [tools, model] = [this.#tools(entries.get('tools')), this.#model(entries.get('model'))];
    return {
      name: this.#name(entries.get('name')),
      description: this.#required('description', entries.get('description'), 'what the agent is good at'),
      ...(tools === undefined ? {} : { tools }),
      ...(model === undefined ? {} : { model }),
      prompt,
      file: this.#shown,
    };
  }

  #entries(lines: readonly string[]): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    let last: Entry | undefined;
    for (const [index, text] of lines.entries()) {
      const line = index + 2;
      const item = /^\s*-\s+(.+)$/.exec(text);
      if (text.trim() === '' || text.startsWith('#')) continue;
      if (item !== null && last?.value === '') last.items.push(item[1] ?? '');
      else last = this.#entry(text, line, entries);
    }
    return entries;
  }

  #entry(text: string, line: number, entries: Map<string, Entry>): Entry | undefined {
    const [, key = '', value = ''] = /^([A-Za-z_][\w-]*):(?:\s+(.*))?$/.exec(text.trimEnd()) ?? [];
    const entry = { line, value: value.trim(), items: [] };
    if (key === '') this.#report(line, 'must be "key: value" on one line');
    else if (!keys.includes(key))
      this.#report(line, `${key}: unknown key${didYouMean(key, keys) || `; the keys are ${keys.join(', ')}`}`);
    else if (entries.has(key)) this.#report(line, `${key}: is set twice; remove one`);
    else entries.set(key, entry);
    return key === '' ? undefined : entry;
  }

  #name(entry: Entry | undefined): string {
    const name = this.#required('name', entry, 'the name by which the model chooses the agent');
    if (entry !== undefined && name !== '' && !isToolName(name))
      this.#report(entry.line, 'name: must have 1 to 64 letters, digits, "_" or "-"');
    return name;
  }

  #required(key: string, entry: Entry | undefined, meaning: string): string {
    const value = entry === undefined ? '' : this.#text(key, entry);
    if (entry === undefined) this.#report(1, `${key}: is missing; add ${key}: ${meaning}`);
    else if (value?.trim() === '') this.#report(entry.line, `${key}: must not be empty: ${meaning}`);
    return value ?? '';
  }

  /** Undefined if the value cannot be read. */
  #text(key: string, { value, line, items }: Entry): string | undefined {
    const text = unquote(value);
    if (text !== undefined && items.length === 0 && !/^[|>&*!%@`[{]/.test(value)) return text;
    this.#report(
      line,
      `${key}: must be text on one line; put it in double quotes if it starts with a special character`,
    );
    return undefined;
  }

  #model(entry: Entry | undefined): string | undefined {
    if (entry === undefined) return undefined;
    const model = this.#text('model', entry);
    if (model !== undefined && !/^\S+$/.test(model))
      this.#report(entry.line, 'model: must be the name of a model; remove the line to use the model of the run');
    return model === 'inherit' ? undefined : model;
  }

  #tools(entry: Entry | undefined): string[] | undefined {
    if (entry === undefined) return undefined;
    const { value, items, line } = entry;
    const inline = value.startsWith('[') && value.endsWith(']') ? value.slice(1, -1) : (unquote(value) ?? '');
    const written = items.length > 0 ? items : inline.split(',');
    const tools = written.map((each) => unquote(each.trim()) ?? '').filter((each) => each !== '');
    if (tools.length === 0)
      this.#report(line, 'tools: must name tools, separated by commas; remove the line to allow all of them');
    if (tools.includes(taskToolName))
      this.#report(line, `tools: an agent of a ${taskToolName} call cannot start others; remove "${taskToolName}"`);
    return [...new Set(tools)];
  }

  #report(line: number, message: string): void {
    this.problems.push({ line, message });
  }
}

/** Undefined for a quoted text that does not end. */
function unquote(value: string): string | undefined {
  if (value.startsWith("'"))
    return /^'(?:[^']|'')*'$/.test(value) ? value.slice(1, -1).replaceAll("''", "'") : undefined;
  if (!value.startsWith('"')) return value;
  try {
    return String(JSON.parse(value));
  } catch {
    return undefined;
  }
}
