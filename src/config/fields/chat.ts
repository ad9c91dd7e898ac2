// The rows of `[chat]`. The assistant the gateway runs with an application's own tools.

import type { Field } from '../field.ts';
import { areFilled, isFilled, isLasting, isNotNegative, isPositive, isTemperature } from '../rules.ts';

export const chatFields = [
  {
    table: 'chat',
    key: 'tools',
    type: 'list of strings',
    description: 'Modules that export `tools`, relative to the configuration file, such as `["./tools.ts"]`.',
    otherwise: 'none',
    rule: areFilled,
  },
  {
    table: 'chat',
    key: 'system',
    type: 'string',
    description: 'What the model is told before every conversation.',
    rule: isFilled,
  },
  {
    table: 'chat',
    key: 'model',
    type: 'string',
    description: 'The model that answers: an alias, `provider/model`, or a model’s own name.',
    otherwise: 'the default model',
    rule: isFilled,
  },
  {
    table: 'chat',
    key: 'temperature',
    type: 'number',
    description: 'From 0 to 2: how far the model strays from the likeliest word.',
    default: 0.3,
    rule: isTemperature,
  },
  {
    table: 'chat',
    key: 'max_tokens',
    type: 'integer',
    description: 'The longest answer of the model, in tokens; a longer one is continued up to three times.',
    default: 4096,
    rule: isPositive,
  },
  {
    table: 'chat',
    key: 'rate_limit',
    type: 'integer',
    description: 'How many questions a user may ask in `rate_window`, in each process; 0 means no limit.',
    default: 30,
    rule: isNotNegative,
  },
  {
    table: 'chat',
    key: 'rate_window',
    type: 'duration',
    description: 'The time `rate_limit` is for.',
    default: '1m',
    rule: isLasting,
  },
  {
    table: 'chat',
    key: 'log_tool_input',
    type: 'boolean',
    description: 'Write what the model gives to a tool into the log; it may hold anything the user said.',
    default: false,
  },
] as const satisfies readonly Field[];
