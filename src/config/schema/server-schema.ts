// The part of the schema that only `simple-agents serve` reads: `[server]`, `[[server.keys]]` and `[chat]`.

import type { TableDefinition } from './definition.ts';
import {
  checkDigests,
  checkNoneEmpty,
  checkHosts,
  checkOrigins,
  checkScopes,
  checkDeadline,
  checkDigest,
  checkNotEmpty,
  checkKeyName,
  checkPositiveTimeout,
  checkNotNegative,
  checkPlainUrl,
  checkPort,
  checkPositive,
  checkTemperature,
  checkTimeout,
} from './rules.ts';

export const serverSchema = {
  server: {
    form: 'single',
    description: 'The gateway over HTTP, `simple-agents serve`. Flags go before it.',
    fields: {
      host: {
        type: 'string',
        default: '127.0.0.1',
        rule: checkNotEmpty,
        description: 'The address to listen on. One that other machines reach needs `keys`.',
      },
      port: {
        type: 'integer',
        default: 4000,
        rule: checkPort,
        description: 'The port to listen on; 0 takes any free one.',
      },
      keys: {
        type: 'list of strings',
        rule: checkDigests,
        description:
          'Hashes of keys that have no name and may be used for everything; `[[server.keys]]` says more. Without any key, none is asked for.',
      },
      cors_origins: {
        type: 'list of strings',
        rule: checkOrigins,
        description: 'Origins whose pages may call it, such as `https://app.example.com`.',
      },
      allowed_hosts: {
        type: 'list of strings',
        otherwise: 'any, where there are keys and it listens to other machines',
        rule: checkHosts,
        description: 'Names it may be called by, beside `localhost`; without a port.',
      },
      body_limit: { type: 'size', default: '32MB', rule: checkPositive, description: 'The largest body of a request.' },
      max_connections: {
        type: 'integer',
        default: 10_000,
        rule: checkPositive,
        description: 'Connections open at the same time; further ones get 503.',
      },
      max_body_memory: {
        type: 'size',
        default: '256MB',
        rule: checkPositive,
        description:
          'Memory for the bodies of all requests in progress; further ones get 503. Above 1 MB a body counts three times.',
      },
      request_timeout: {
        type: 'duration',
        default: '2m',
        rule: checkDeadline,
        description: 'How long a request may take to arrive.',
      },
      keep_alive: {
        type: 'duration',
        default: '15s',
        rule: checkTimeout,
        description: 'The longest silence in a stream; then a comment is sent, which clients skip.',
      },
      drain: {
        type: 'duration',
        default: '30s',
        rule: checkTimeout,
        description: 'How long calls under way may go on when the server is told to end.',
      },
      log_level: {
        type: 'choice',
        default: 'info',
        choices: ['debug', 'info', 'warn', 'error', 'silent'],
        description: 'What is written to stderr, a line of JSON each. Prompts and answers never are.',
      },
      otlp_endpoint: {
        type: 'URL',
        otherwise: 'nowhere',
        rule: checkPlainUrl,
        description: 'Where traces go, such as `http://127.0.0.1:4318/v1/traces`.',
      },
    },
  },

  // Every key is required: an entry that was cut off must not become a key with fewer limits.
  'server.keys': {
    form: 'list',
    description:
      'One entry for each key that opens the gateway. Instead of it, `keys` in `[server]` lists hashes alone.',
    fields: {
      name: {
        type: 'string',
        required: true,
        rule: checkKeyName,
        description: 'What logs and metrics call the key, such as `billing-service`.',
      },
      hash: {
        type: 'string',
        required: true,
        rule: checkDigest,
        description: 'The SHA-256 of the key, 64 hexadecimal digits: `printf %s "$KEY" | sha256sum`.',
      },
      scopes: {
        type: 'list of strings',
        required: true,
        rule: checkScopes,
        description: 'What the key may be used for: `call` (ask models, list them, heal), `metrics` (read `/metrics`).',
      },
    },
  },

  chat: {
    form: 'single',
    description: 'The assistant at `POST /api/chat/stream` of the gateway, with tools of your own.',
    fields: {
      tools: {
        type: 'list of strings',
        rule: checkNoneEmpty,
        description: 'Modules that export `tools`, relative to the configuration file, such as `["./tools.ts"]`.',
      },
      system: { type: 'string', rule: checkNotEmpty, description: 'What the model is told before every conversation.' },
      model: {
        type: 'string',
        otherwise: 'the default model',
        rule: checkNotEmpty,
        description: 'The model that answers: an alias, `provider/model`, or a model’s own name.',
      },
      temperature: {
        type: 'number',
        default: 0.3,
        rule: checkTemperature,
        description: 'From 0 to 2: how far the model strays from the likeliest word.',
      },
      max_tokens: {
        type: 'integer',
        default: 4096,
        rule: checkPositive,
        description: 'The longest answer of the model, in tokens; a longer one is continued up to three times.',
      },
      rate_limit: {
        type: 'integer',
        default: 30,
        rule: checkNotNegative,
        description: 'How many questions a user may ask in `rate_window`, in each process; 0 means no limit.',
      },
      rate_window: {
        type: 'duration',
        default: '1m',
        rule: checkPositiveTimeout,
        description: 'The time `rate_limit` is for.',
      },
      log_tool_input: {
        type: 'boolean',
        default: false,
        description: 'Write what the model gives to a tool into the log; it may hold anything the user said.',
      },
    },
  },
} as const satisfies Readonly<Record<string, TableDefinition>>;
