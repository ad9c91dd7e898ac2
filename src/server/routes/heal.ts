// `POST /v1/heal`: turns text that was meant to be JSON into a value that fits a schema, and lists the changes.

import { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined, type JsonObject, type JsonValue } from '../../core/json.ts';
import { macrotask } from '../../core/macrotask.ts';
import { boundedHealing } from '../../gateway/output/bounded-healing.ts';
import { toSchemaError } from '../../gateway/output/healing.ts';
import { loadLinearPatterns } from '../../gateway/output/linear-pattern.ts';
import { HealError, healInTurns, type HealOptions, type HealResult } from '../../heal/index.ts';
import { JsonField } from '../../wire/json-field.ts';
import { HttpError, throwHttpError } from '../http/http-error.ts';
import type { HttpRoute } from './http-route.ts';

/** Bytes of an object, array or text while it is healed. Measured: up to 910. */
const nodeMemory = 1024;

export const healRoute: HttpRoute = {
  method: 'POST',
  path: '/v1/heal',
  access: 'call',
  isLocal: true,
  async handle(exchange, { settings }) {
    const body = new JsonField(await exchange.readJson(settings));
    const text = body.get('text').string();
    exchange.takeMemory(checkDensity(text, settings.maxBodyValues) * nodeMemory);
    const schema = body.get('schema').optional((field) => field.json()) ?? {};
    const patterns = (await loadLinearPatterns())();
    const options = { ...optionsOf(body), ...boundedHealing(), patterns };
    const { value, flags, confidence } = await tryHeal(text, schema, options);
    exchange.sendJson(200, { value: value as JsonValue, flags: flags as unknown as JsonValue, confidence });
  },
};

/** Throws 413. Returns about how many objects, arrays and texts healing will read, whichever quotes it takes seriously. */
function checkDensity(text: string, limit: number): number {
  const counts = new Uint32Array(128);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 128) counts[code] = (counts[code] as number) + 1;
  }
  const of = (mark: string): number => counts[mark.charCodeAt(0)] as number;
  const nodes = of('{') + of('[') + Math.ceil((of('"') + of("'") + of('`')) / 2);
  if (nodes > limit) {
    const problem = `has more than ${limit} objects, arrays and texts (max_body_values); send a shorter one`;
    throwHttpError(413, `text: ${problem}`, { field: 'text' });
  }
  return nodes;
}

function optionsOf(body: JsonField): HealOptions {
  return omitUndefined({
    strict: body.get('strict').optional((field) => field.boolean()),
    locate: body.get('locate').optional((field) => field.boolean()),
    coerceTypes: body.get('coerce_types').optional((field) => field.boolean()),
    minConfidence: body.get('min_confidence').optional((field) => field.number()),
  });
}

async function tryHeal(text: string, schema: JsonObject, options: HealOptions): Promise<HealResult> {
  try {
    return await healInTurns(text, schema, options, macrotask);
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    const isSchema = error.kind === 'invalid-schema' || error.kind === 'schema-too-complex';
    const cause = isSchema
      ? toSchemaError('schema', error.message, error)
      : new SimpleAgentsError('healing', error.message, { cause: error });
    throw new HttpError(isSchema ? 400 : 422, cause, { headers: { 'x-simple-agents-heal-error': error.kind } });
  }
}
