// `x-mcp-header` in an input schema names a parameter that the client repeats as an HTTP header (version 2026-07-28). A tool
// with an invalid declaration must not be offered over HTTP.

import { isRecord } from '../core/json.ts';

const key = 'x-mcp-header';
const headerTypes: readonly unknown[] = ['string', 'integer', 'boolean'];
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const deepest = 64;

/** The problem of the first invalid declaration, or undefined. */
export function findHeaderProblem(inputSchema: unknown): string | undefined {
  return new HeaderScan().visit(inputSchema, true, 0);
}

class HeaderScan {
  readonly #names = new Set<string>();

  /** `isProperty`: reached from the top through `properties` only. */
  visit(schema: unknown, isProperty: boolean, depth: number): string | undefined {
    if (Array.isArray(schema)) return this.#visitAll(schema, false, depth);
    if (!isRecord(schema)) return undefined;
    if (depth > deepest) return 'the schema is nested too deeply';
    const problem = key in schema ? this.#check(schema, isProperty && depth > 0) : undefined;
    if (problem !== undefined) return problem;
    for (const [name, value] of Object.entries(schema)) {
      const found =
        name === 'properties' && isRecord(value)
          ? this.#visitAll(Object.values(value), isProperty, depth)
          : this.visit(value, false, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #visitAll(schemas: readonly unknown[], isProperty: boolean, depth: number): string | undefined {
    for (const schema of schemas) {
      const problem = this.visit(schema, isProperty, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #check(schema: Record<string, unknown>, isProperty: boolean): string | undefined {
    const name = schema[key];
    if (!isProperty) return `${key} is not on a property`;
    if (typeof name !== 'string' || !token.test(name)) return `${key} is not a header name`;
    if (!headerTypes.includes(schema['type'])) return `${key} is on a property that is no string, integer or boolean`;
    const lower = name.toLowerCase();
    if (this.#names.has(lower)) return `${key} ${name} is used twice`;
    this.#names.add(lower);
    return undefined;
  }
}
