// Translates a JSON Schema to the subset that a vendor accepts for structured output. Vendors compile the schema into a
// grammar, and reject what they cannot compile. Keywords that a vendor does not support are moved to the description, where
// the model reads them. If a vendor cannot express the shape, the schema must be requested in another way.

import { isRecord, type JsonSchema, type JsonValue } from '../../core/json.ts';

export interface SchemaRules {
  /** Keywords that are kept, besides those that define the shape. */
  readonly keywords: ReadonlySet<string>;
  readonly formats: ReadonlySet<string>;
  /** Every member must be required. */
  readonly allRequired: boolean;
  readonly recursion: boolean;
}

const formats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];

/** `closed`: the rules of Anthropic. `strict`: the rules under which OpenAI guarantees a schema. */
export const schemaRules: Readonly<Record<'closed' | 'strict', SchemaRules>> = {
  closed: {
    keywords: new Set(['title', 'description', 'enum', 'const', 'required']),
    formats: new Set([...formats, 'uri']),
    allRequired: false,
    recursion: false,
  },
  strict: {
    keywords: new Set([
      'title',
      'description',
      'enum',
      'const',
      'required',
      'multipleOf',
      'minimum',
      'maximum',
      'exclusiveMinimum',
      'exclusiveMaximum',
      'minItems',
      'maxItems',
    ]),
    formats: new Set(formats),
    allRequired: true,
    recursion: true,
  },
};

/** Keywords that change the shape and cannot be expressed in the description. */
const shaping: ReadonlySet<string> = new Set([
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'prefixItems',
  'contains',
  'patternProperties',
  'propertyNames',
  'dependentSchemas',
  'dependentRequired',
  'unevaluatedProperties',
  'unevaluatedItems',
  '$dynamicRef',
]);

/** `undefined` if the vendor cannot express the schema. */
export function toVendorSchema(schema: JsonSchema, rules: SchemaRules): JsonSchema | undefined {
  if (schema['type'] !== 'object') return undefined;
  try {
    return new SchemaTranslator(schema, rules).translate(schema);
  } catch (error) {
    if (error instanceof InexpressibleSchema) return undefined;
    throw error;
  }
}

class InexpressibleSchema extends Error {}

const mostSchemas = 20_000;
const deepest = 500;

class SchemaTranslator {
  readonly #root: JsonSchema;
  readonly #rules: SchemaRules;
  readonly #followed = new Map<string, 'under way' | 'done'>();
  #count = 0;
  #depth = 0;

  constructor(root: JsonSchema, rules: SchemaRules) {
    this.#root = root;
    this.#rules = rules;
  }

  translate(schema: unknown): JsonSchema {
    // References and lists of types can expand to more schemas than were written.
    if (!isRecord(schema) || ++this.#count > mostSchemas || this.#depth > deepest) throw new InexpressibleSchema();
    this.#depth++;
    const translated = this.#translateOne(schema as JsonSchema);
    this.#depth--;
    return translated;
  }

  #translateOne(schema: JsonSchema): JsonSchema {
    const written = schema;
    if (Array.isArray(written['type'])) return this.translate(toTypeBranches(written, written['type']));
    const translated: Record<string, JsonValue> = {};
    const untranslated: string[] = [];
    for (const [keyword, value] of Object.entries(written)) {
      if (value === undefined || isIgnored(keyword, written)) continue;
      if (!this.#translateKeyword(keyword, value, translated))
        untranslated.push(`${keyword}: ${JSON.stringify(value)}`);
    }
    if (written['type'] === 'object') this.#close(written, translated);
    if (!['type', 'anyOf', '$ref', 'enum', 'const'].some((keyword) => keyword in translated))
      throw new InexpressibleSchema();
    if (untranslated.length > 0) translated['description'] = describe(written['description'], untranslated);
    return translated;
  }

  #translateKeyword(keyword: string, value: JsonValue, translated: Record<string, JsonValue>): boolean {
    if (shaping.has(keyword)) throw new InexpressibleSchema();
    switch (keyword) {
      case 'type':
        translated[keyword] = value;
        return true;
      case 'properties':
      case '$defs':
      case 'definitions':
        translated[keyword] = this.#translateEach(value);
        return true;
      case 'items':
        translated[keyword] = this.translate(value);
        return true;
      case 'anyOf':
      case 'oneOf':
        if (!Array.isArray(value)) throw new InexpressibleSchema();
        translated['anyOf'] = value.map((branch) => this.translate(branch));
        return true;
      case '$ref':
        if (typeof value !== 'string') throw new InexpressibleSchema();
        this.#follow(value);
        translated[keyword] = value;
        return true;
      case 'additionalProperties':
        // A map with arbitrary names cannot be expressed.
        if (value !== false) throw new InexpressibleSchema();
        return true;
      default:
        if (!this.#isKnown(keyword, value)) return false;
        translated[keyword] = value;
        return true;
    }
  }

  #isKnown(keyword: string, value: JsonValue): boolean {
    if (keyword === 'format') return this.#rules.formats.has(value as string);
    return this.#rules.keywords.has(keyword);
  }

  #translateEach(parts: JsonValue): JsonSchema {
    if (!isRecord(parts)) throw new InexpressibleSchema();
    return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, this.translate(part)]));
  }

  #close(schema: JsonSchema, translated: Record<string, JsonValue>): void {
    const names = Object.keys(isRecord(schema['properties']) ? schema['properties'] : {});
    if (names.length === 0 && schema['additionalProperties'] !== false) throw new InexpressibleSchema();
    const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : []);
    if (this.#rules.allRequired && names.some((name) => !required.has(name))) throw new InexpressibleSchema();
    translated['additionalProperties'] = false;
  }

  /** Rejects recursive schemas if the vendor does not support them. */
  #follow(reference: string): void {
    if (this.#rules.recursion || this.#followed.get(reference) === 'done') return;
    if (reference === '#' || this.#followed.get(reference) === 'under way') throw new InexpressibleSchema();
    let target: unknown = this.#root;
    for (const name of reference.split('/').slice(1)) {
      target = isRecord(target) ? target[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
    }
    this.#followed.set(reference, 'under way');
    this.translate(target);
    this.#followed.set(reference, 'done');
  }
}

function describe(description: JsonValue | undefined, untranslated: readonly string[]): string {
  const words = `(${untranslated.join(', ')})`;
  return typeof description === 'string' ? `${description} ${words}` : words;
}

/** Keywords about the document, not about the value. Besides a reference, only definitions are allowed. */
function isIgnored(keyword: string, schema: JsonSchema): boolean {
  if (keyword === '$schema' || keyword === '$id' || keyword.startsWith('x-')) return true;
  return '$ref' in schema && !['$ref', '$defs', 'definitions'].includes(keyword);
}

/** Expands `type: ["string", "null"]` to `anyOf`. */
function toTypeBranches(schema: JsonSchema, types: readonly unknown[]): JsonSchema {
  const { description, ...rest } = schema;
  const anyOf = Array.from(new Set(types), (type) => ({ ...(type === 'null' ? {} : rest), type: type as string }));
  return description === undefined ? { anyOf } : { anyOf, description };
}
