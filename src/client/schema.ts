// A user's schema as it goes to the model with a request.

import { SimpleAgentsError } from '../core/error.ts';
import type { JsonSchema } from '../core/json.ts';
import type { ResponseFormat } from '../core/request.ts';
import { HealError, type SchemaInput } from '../heal/index.ts';
import { toModelSchema } from '../heal/schema/model-schema.ts';

/** Throws `bad-request` for a schema that cannot be used, before anything is asked. */
export function toResponseFormat(schema: SchemaInput): ResponseFormat {
  try {
    return { type: 'json-schema', schema: toModelSchema(schema) as JsonSchema };
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    throw new SimpleAgentsError('bad-request', `schema: ${error.message}`, { cause: error, field: 'schema' });
  }
}
