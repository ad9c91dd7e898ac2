// Leaves out fields of a request that the settings of a provider name, because its models do not accept them.

import { omitUndefined, type JsonObject } from '../core/json.ts';
import type { ChatRequest } from '../core/request.ts';
import { requestFields, ruleOf } from './request-fields.ts';

/** Members of a request that every wire has, by their names in the wire of OpenAI's chat. */
const members = {
  n: 'choices',
  parallel_tool_calls: 'parallelToolCalls',
  seed: 'seed',
  stop: 'stop',
  temperature: 'temperature',
  tool_choice: 'toolChoice',
  top_p: 'topP',
  user: 'user',
} as const satisfies Record<string, keyof ChatRequest>;

const completionFields = ['best_of', 'echo', 'suffix'];

/** The names that may be left out: these members, and what other wires refuse or leave out anyway. */
export const omissibleFields: readonly string[] = [
  ...new Set([
    ...Object.keys(members),
    ...completionFields,
    ...Object.values(requestFields).flatMap((table) =>
      Object.entries(table).flatMap(([name, rule]) => (['refused', 'tuning'].includes(rule.class) ? [name] : [])),
    ),
  ]),
].toSorted();

export interface Remainder {
  readonly request: ChatRequest;
  /** The fields that were set: members of `ChatRequest`, or fields of a wire. */
  readonly omitted: readonly string[];
}

export function leaveOut(request: ChatRequest, names: readonly string[]): Remainder {
  const omitted = new Set<string>();
  const left: { -readonly [Key in keyof ChatRequest]?: ChatRequest[Key] | undefined } = { ...request };
  for (const [name, member] of Object.entries(members)) {
    if (!names.includes(name) || left[member] === undefined) continue;
    left[member] = undefined;
    omitted.add(member);
  }
  const { completion, extra } = request;
  left.completion = completion && withoutNames(completion, names);
  for (const name of completionFields) if (left.completion?.[name] !== completion?.[name]) omitted.add(name);
  left.extra = extra && withoutExtra(extra, names, omitted);
  return { request: omitUndefined(left) as ChatRequest, omitted: [...omitted] };
}

type Extra = NonNullable<ChatRequest['extra']>;

function withoutExtra(extra: Extra, names: readonly string[], omitted: Set<string>): Extra {
  const entries = Object.entries(extra).map(([wire, fields]) => {
    for (const name of names) {
      const isMember = Object.hasOwn(members, name);
      // A neutral value is the same as none.
      if (!isMember && ruleOf(wire, name, fields[name]) !== undefined) omitted.add(name);
    }
    return [wire, withoutNames(fields, names)] as const;
  });
  return Object.fromEntries(entries);
}

function withoutNames<Fields extends Readonly<Record<string, unknown>> | JsonObject>(
  fields: Fields,
  names: readonly string[],
): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))) as Fields;
}
