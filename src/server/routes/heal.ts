// `POST /v1/heal`: turns text that was meant to be JSON into a value that fits a schema, and lists the changes.

import { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined, type JsonObject, type JsonValue } from '../../core/json.ts';
import { macrotask } from '../../core/macrotask.ts';
import { boundedHealing } from '../../gateway/output/bounded-healing.ts';
import { toSchemaError } from '../../gateway/output/healing.ts';
import { loadLinearPatterns } from '../../gateway/output/linear-pattern.ts';
import { HealError, healInTurns, type HealOptions, type HealResult } from '../../heal/index.ts';
import { JsonField } from '../../wire/json-field.ts';
import { HttpError } from '../http/http-error.ts';
import type { HttpRoute } from './http-route.ts';

export const healRoute: HttpRoute = {
  method: 'POST',
  path: '/v1/heal',
  access: 'call',
  async handle(exchange, { settings }) {
    const body = new JsonField(await exchange.readJson(settings));
    const text = body.get('text').string();
    const schema = body.get('schema').optional((field) => field.json()) ?? {};
    const patterns = (await loadLinearPatterns())();
    const options = { ...optionsOf(body), ...boundedHealing(), patterns };
    const { value, flags, confidence } = await tryHeal(text, schema, options);
    exchange.sendJson(200, { value: value as JsonValue, flags: flags as unknown as JsonValue, confidence });
  },
};

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
