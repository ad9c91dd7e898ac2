// The part of the schema that only `simple-agents serve` reads: `[server]`, `[[server.keys]]` and `[chat]`.

import type { TableDefinition } from './definition.ts';
import {
  checkDigests,
  checkNoneEmpty,
  checkHosts,
  checkOrigins,
  checkScopes,
  checkDigest,
  checkNotEmpty,
  checkKeyName,
  checkPositiveTimeout,
  checkNotNegative,
  checkPlainUrl,
  checkPort,
  checkPositive,
  checkProviderNames,
  checkTemperature,
  checkTimeout,
} from './rules.ts';

export const serverSchema = {
  server: {
    form: 'single',
    description: 'The HTTP server of the gateway, `simple-agents serve`. Command-line flags override it.',
    fields: {
      host: {
        type: 'string',
        default: '127.0.0.1',
        rule: checkNotEmpty,
        description: 'The address to listen on. An address that other machines can reach requires `keys`.',
      },
      port: {
        type: 'integer',
        default: 4000,
        rule: checkPort,
        description: 'The port to listen on; 0 selects a free port.',
      },
      keys: {
        type: 'list of strings',
        rule: checkDigests,
        description:
          'SHA-256 hashes of keys without a name, with the scopes `call` and `metrics`; `[[server.keys]]` adds names and scopes. Without any keys, clients need none.',
      },
      cors_origins: {
        type: 'list of strings',
        rule: checkOrigins,
        description: 'Origins of web pages that may call the server, such as `https://app.example.com`.',
      },
      allowed_hosts: {
        type: 'list of strings',
        otherwise: 'any host, if keys are set and the server is reachable from other machines',
        rule: checkHosts,
        description: 'Host names, without port, that the server accepts in requests in addition to `localhost`.',
      },
      body_limit: {
        type: 'size',
        default: '32MB',
        rule: checkPositive,
        description: 'Maximum size of a request body.',
      },
      upload_limit: {
        type: 'size',
        default: '512MB',
        rule: checkPositive,
        description: 'Maximum size of a body that passes to a provider without being kept in memory, such as a file.',
      },
      forward_providers: {
        type: 'list of strings',
        otherwise: 'the only provider with the route',
        rule: checkProviderNames,
        description:
          'The providers that get forwarded requests (files, batches, images, …) which name neither a provider nor a model. Each gets requests in its own format only; among several with the route, the first in this list.',
      },
      max_connections: {
        type: 'integer',
        default: 10_000,
        rule: checkPositive,
        description:
          'Maximum number of open connections; further ones get status 503. Several keys [share them](gateway.md#shares-of-keys).',
      },
      max_body_values: {
        type: 'integer',
        default: 100_000,
        rule: checkPositive,
        description:
          'Maximum number of objects, arrays and texts in a request body, including the names of members; eight numbers count as one. A larger number lets one request stop others for longer.',
      },
      max_body_memory: {
        type: 'size',
        otherwise: '256 MB, or a third of Node’s heap if that is less',
        rule: checkPositive,
        description:
          'Memory for the bodies of all requests in progress; further requests get status 503. A body above 1 MB counts three times, and each of its values 256 bytes. With several keys, one key uses at most as much as is still free.',
      },
      request_timeout: {
        type: 'duration',
        default: '2m',
        rule: checkPositiveTimeout,
        description: 'Time limit for receiving a complete request.',
      },
      keep_alive: {
        type: 'duration',
        default: '15s',
        rule: checkTimeout,
        description:
          'Maximum silence in a stream before the server sends a comment or a blank line, which clients ignore.',
      },
      drain: {
        type: 'duration',
        default: '30s',
        rule: checkTimeout,
        description: 'How long calls in progress may continue when the server shuts down.',
      },
      log_level: {
        type: 'choice',
        default: 'info',
        choices: ['debug', 'info', 'warn', 'error', 'silent'],
        description:
          'Minimum level of the log lines on stderr, which are JSON. Prompts and responses are never logged.',
      },
      signing_key_file: {
        type: 'path',
        otherwise: 'a random key until the server stops',
        rule: checkNotEmpty,
        description:
          'The file with the secret that signs the ids of responses. It is created if it does not exist. Servers with the same file accept each other’s ids.',
      },
      otlp_endpoint: {
        type: 'URL',
        otherwise: 'no tracing',
        rule: checkPlainUrl,
        description: 'The URL that traces are sent to, such as `http://127.0.0.1:4318/v1/traces`.',
      },
    },
  },

  // Every key is required: an entry that was cut off must not become a key with fewer limits.
  'server.keys': {
    form: 'list',
    description: 'One entry per key that clients can use. Alternatively, `keys` in `[server]` lists only hashes.',
    fields: {
      name: {
        type: 'string',
        required: true,
        rule: checkKeyName,
        description: 'The name of the key in logs and metrics, such as `billing-service`.',
      },
      hash: {
        type: 'string',
        required: true,
        rule: checkDigest,
        description: 'The SHA-256 hash of the key, 64 hexadecimal digits: `printf %s "$KEY" | sha256sum`.',
      },
      scopes: {
        type: 'list of strings',
        required: true,
        rule: checkScopes,
        description:
          'What the key allows: `call` (call and list models, heal), `metrics` (read `/metrics`), `account` (use [what is stored at the providers](gateway.md#keys-and-the-providers-account), although other keys use the same account).',
      },
    },
  },

  chat: {
    form: 'single',
    description: 'The chat assistant at `POST /api/chat/stream` of the gateway, with your own tools.',
    fields: {
      tools: {
        type: 'list of strings',
        rule: checkNoneEmpty,
        description: 'Modules that export `tools`, relative to the configuration file, such as `["./tools.ts"]`.',
      },
      system: { type: 'string', rule: checkNotEmpty, description: 'The system prompt.' },
      model: {
        type: 'string',
        otherwise: 'the default model',
        rule: checkNotEmpty,
        description: 'The model to use: an alias, `provider/model`, or the model’s own name.',
      },
      temperature: {
        type: 'number',
        default: 0.3,
        rule: checkTemperature,
        description: 'The sampling temperature, from 0 to 2.',
      },
      max_tokens: {
        type: 'integer',
        default: 4096,
        rule: checkPositive,
        description: 'Maximum length of a model response in tokens; a longer one is continued up to three times.',
      },
      rate_limit: {
        type: 'integer',
        default: 30,
        rule: checkNotNegative,
        description: 'Maximum number of messages per user in `rate_window`, for each process; 0 means no limit.',
      },
      rate_window: {
        type: 'duration',
        default: '1m',
        rule: checkPositiveTimeout,
        description: 'The time window of `rate_limit`.',
      },
      log_tool_input: {
        type: 'boolean',
        default: false,
        description: 'Write the input of tool calls to the log. It can contain anything the user wrote.',
      },
    },
  },
} as const satisfies Readonly<Record<string, TableDefinition>>;
