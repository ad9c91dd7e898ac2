// Validates the settings of what a plugin adds against the schema of its definition.
// Invariant: a message never repeats a text, because it may contain a secret.

import { SimpleAgentsError } from '../../core/error.ts';
import { didYouMean } from '../../core/suggest.ts';
import { heal, HealError, type SchemaInput } from '../../heal/index.ts';

export interface SettingsProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export type CheckedSettings = { readonly value: unknown } | { readonly problem: SettingsProblem };

/** Repairs nothing. Fills in defaults and runs the schema library's own validation. */
export function checkSettings(schema: SchemaInput | undefined, settings: object = {}): CheckedSettings {
  if (schema === undefined) return Object.keys(settings).length === 0 ? { value: {} } : unexpected(settings);
  try {
    const { value, flags } = heal<SchemaInput>(JSON.stringify(settings), schema, {
      minConfidence: 0,
      coerceTypes: false,
    });
    const change = flags.find(({ kind }) => kind !== 'used-default-value' && kind !== 'unchecked-pattern');
    if (change === undefined) return { value };
    return { problem: { path: change.path, message: messageOf(change.kind, change.path, schema) } };
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    if (error.kind === 'invalid-schema' || error.kind === 'schema-too-complex') {
      throw new SimpleAgentsError('configuration', `the schema of the settings cannot be used: ${error.message}`);
    }
    return { problem: { path: error.path, message: withoutValue(error) } };
  }
}

function unexpected(settings: object): CheckedSettings {
  return { problem: { path: Object.keys(settings).slice(0, 1), message: 'unknown setting; the plugin has none' } };
}

function messageOf(kind: string, path: SettingsProblem['path'], schema: SchemaInput): string {
  if (kind !== 'dropped-field') return 'does not match the schema of the plugin';
  const known = 'properties' in schema ? Object.keys(schema.properties ?? {}) : [];
  const all = known.length === 0 ? '' : `; the settings are ${known.join(', ')}`;
  return `unknown setting${didYouMean(String(path.at(-1)), known) || all}`;
}

/** The path and the value that begin and end the message are left out. */
function withoutValue({ kind, message }: HealError): string {
  if (kind === 'missing-field') return 'is required';
  return message.replace(/^[^:]*: /, '').replace(/, not .*$/s, '');
}
