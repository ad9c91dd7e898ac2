// BAML: its parser is called through a function whose return type is the schema, as in a BAML project, but without a
// call to a model. Keys become aliases, because a BAML field is an identifier. Without a schema it gets BAML's own form
// of "any JSON": a recursive type.

import { isRecord, type JsonSchema } from '../../src/core/json.ts';
import { judge, type Outcome, type HealRun } from '../../test/support/damage/score.ts';
import type { PeerLoader } from './peer.ts';

interface Parser {
  readonly parse: (text: string) => unknown;
}

export const loadBaml: PeerLoader = async () => {
  // Suppresses its log output. Must be set before it is loaded.
  process.env['BAML_INTERNAL_LOG'] = 'off';
  const { BamlRuntime } = await import('@boundaryml/baml');
  const parsers = new Map<string, Parser>();
  const parserOf = (schema: JsonSchema | undefined): Parser => {
    const key = JSON.stringify(schema ?? null);
    const known = parsers.get(key);
    if (known !== undefined) return known;
    const program = new BamlProgram();
    const runtime = BamlRuntime.fromFiles('.', { 'answer.baml': program.write(schema) }, {});
    const context = runtime.createContextManager();
    const parser: Parser = {
      parse: (text) =>
        program.rename(runtime.parseLlmResponse('Answer', text, false, context, null, null, {}) as unknown),
    };
    parsers.set(key, parser);
    return parser;
  };
  const heal = ({ damaged, isTyped }: HealRun): Outcome => {
    try {
      const value = parserOf(isTyped ? damaged.schema : undefined).parse(damaged.text);
      // It writes null for missing members, so missing and null count as equal here.
      const isLoose = isTyped && damaged.isCut;
      return isLoose
        ? judge(damaged.accepted.map(withoutNulls), { value: withoutNulls(value) })
        : judge(damaged.accepted, { value });
    } catch (error) {
      return { verdict: 'refused', message: String(error).slice(0, 200) };
    }
  };
  return { name: '@boundaryml/baml', takesSchema: true, heal: async (runs) => runs.map(heal) };
};

/**
 * Converts a JSON Schema to BAML. Field names are unique, so that a value can be renamed back without knowing its
 * class.
 */
class BamlProgram {
  readonly #classes: string[] = [];
  readonly #keys = new Map<string, string>();

  write(schema: JsonSchema | undefined): string {
    const type = schema === undefined ? 'AnyJson' : this.#type(schema);
    return `${[...this.#classes, anyJson].join('\n')}
client<llm> Nobody {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}
function Answer(text: string) -> ${type} {
  client Nobody
  prompt #"{{ text }} {{ ctx.output_format }}"#
}
`;
  }

  rename(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.rename(item));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [this.#keys.get(name) ?? name, this.rename(member)]),
    );
  }

  #type(schema: JsonSchema): string {
    const { type, anyOf, items, enum: choices } = schema;
    if ('const' in schema) return JSON.stringify(schema['const']);
    if (Array.isArray(choices))
      return union(
        choices.map((choice) => JSON.stringify(choice)),
        type,
      );
    if (Array.isArray(anyOf))
      return union(
        anyOf.map((arm) => this.#type(arm as JsonSchema)),
        type,
      );
    if (Array.isArray(type)) return `${this.#type({ ...schema, type: type[0] as string })}?`;
    if (type === 'array') return `${this.#type(items as JsonSchema)}[]`;
    return type === 'object' ? this.#class(schema) : scalars[type as string]!;
  }

  #class({ properties, required }: JsonSchema): string {
    const entries = Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>);
    if (entries.length === 0) return 'map<string, AnyJson>';
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const fields = entries.map(([key, member]) => {
      const type = this.#type(member);
      const name = `field${this.#keys.size}`;
      this.#keys.set(name, key);
      const optional = needed.includes(key) || type.endsWith('?') ? type : `(${type})?`;
      return `  ${name} ${optional} @alias(${JSON.stringify(key)})`;
    });
    const name = `Class${this.#classes.length}`;
    this.#classes.push(`class ${name} {\n${fields.join('\n')}\n}`);
    return name;
  }
}

const anyJson = 'type AnyJson = string | int | float | bool | null | AnyJson[] | map<string, AnyJson>';
const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
};

function union(arms: readonly string[], type: unknown): string {
  return `(${arms.join(' | ')})${Array.isArray(type) ? '?' : ''}`;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, withoutNulls(member)]])),
  );
}
