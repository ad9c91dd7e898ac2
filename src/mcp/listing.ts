// Reads the tools that a server lists. Everything comes from outside: each tool is checked on its own, so that a bad one does
// not hide the others, and the listing is bounded in pages, tools and bytes.

import { isRecord } from '../core/json.ts';

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  /** As the server sent it; may be anything. */
  readonly inputSchema: unknown;
  /** The server says that the tool changes nothing. Nothing proves it. */
  readonly isReadOnly: boolean;
  /** It can only be called as a task, an extension of MCP. */
  readonly needsTask: boolean;
  /** The complete definition, for the headers of a call. */
  readonly definition: Readonly<Record<string, unknown>>;
}

export interface ToolListing {
  readonly tools: readonly ListedTool[];
  /** What was left out, and why. */
  readonly problems: readonly string[];
}

export interface ToolPage {
  readonly tools: readonly unknown[];
  readonly nextCursor: string | undefined;
}

const mostPages = 64;
const mostTools = 512;
const mostBytes = 4 * 1024 * 1024;
const longestDescription = 16 * 1024;

export async function listTools(loadPage: (cursor: string | undefined) => Promise<ToolPage>): Promise<ToolListing> {
  const listing = new Listing();
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const { tools, nextCursor } = await loadPage(cursor);
    for (const tool of tools) listing.add(tool);
    if (listing.isFull || nextCursor === undefined) return listing;
    if (nextCursor === cursor) return listing.stop('the list of tools repeats a page');
    cursor = nextCursor;
  }
  return listing.stop(`the list of tools has more than ${mostPages} pages`);
}

class Listing implements ToolListing {
  readonly tools: ListedTool[] = [];
  readonly problems: string[] = [];
  readonly #names = new Set<string>();
  #bytes = 0;
  isFull = false;

  add(value: unknown): void {
    if (this.isFull) return;
    const size = JSON.stringify(value)?.length ?? 0;
    if (this.tools.length >= mostTools) return void this.stop(`the server has more than ${mostTools} tools`);
    if (this.#bytes + size > mostBytes) return void this.stop('the list of tools is too large');
    this.#bytes += size;
    if (!isRecord(value) || typeof value['name'] !== 'string' || value['name'] === '') {
      return this.#report('a tool without a name was left out');
    }
    const { name } = value;
    if (this.#names.has(name)) return this.#report(`the tool ${quote(name)} is listed twice`);
    this.#names.add(name);
    this.tools.push(toListedTool(name, value));
  }

  /** The tools that were read so far stay. */
  stop(problem: string): this {
    this.isFull = true;
    this.#report(`${problem}; the rest was left out`);
    return this;
  }

  #report(problem: string): void {
    if (this.problems.length < 10) this.problems.push(problem);
  }
}

function toListedTool(name: string, value: Record<string, unknown>): ListedTool {
  const [annotations, execution] = [value['annotations'], value['execution']].map((each) =>
    isRecord(each) ? each : {},
  );
  const [title, description] = [value['title'], value['description']].map((each) =>
    typeof each === 'string' ? each : '',
  );
  return {
    name,
    description: (description || title || name).slice(0, longestDescription),
    inputSchema: value['inputSchema'],
    isReadOnly: annotations?.['readOnlyHint'] === true,
    needsTask: execution?.['taskSupport'] === 'required',
    definition: value,
  };
}

export function quote(name: unknown): string {
  return JSON.stringify(String(name).slice(0, 80));
}
