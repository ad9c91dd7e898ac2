// The schema of the configuration file: every table and every key with its type, default, rule and description, in the
// order of the reference in docs/configuration.md. Validation, defaults, suggestions, the types of the values, the file
// that `config init` writes and the reference are all derived from it: a new setting is a new entry here. Keys are in
// snake_case as in the file; the program uses camelCase.

import { strategyNames } from '../../gateway/routing/strategy.ts';
import type { TableDefinition } from './definition.ts';
import { providerTypes } from './provider-type.ts';
import {
  checkErrorKinds,
  checkExtraHeaders,
  checkTargets,
  checkWeights,
  checkAboveZero,
  checkUrlVariable,
  checkAtLeastOne,
  checkNoneEmpty,
  checkNotEmpty,
  checkIpAddress,
  checkPositiveTimeout,
  checkNotNegative,
  checkPlainUrl,
  checkPositive,
  checkProviderName,
  checkRegion,
  checkPrice,
  checkFraction,
  checkPositiveDuration,
  checkTimeout,
  checkKeyVariable,
} from './rules.ts';
import { checkOmissibleFields } from './omissible-fields.ts';
import { serverSchema } from './server-schema.ts';

export const schema = {
  client: {
    form: 'single',
    description: 'Defaults for calls that do not set these values themselves.',
    fields: {
      default_model: {
        type: 'string',
        otherwise: 'the model of the default provider, else of the first provider',
        rule: checkNotEmpty,
        description: 'The model for calls that name none: an alias, `provider/model`, or the model’s own name.',
      },
      default_provider: {
        type: 'string',
        rule: checkProviderName,
        description:
          'The provider for model names that no alias, `provider/` prefix or `models` list assigns to a provider.',
      },
      default_timeout: {
        type: 'duration',
        otherwise: 'see `[timeouts]`',
        rule: checkTimeout,
        description:
          'Time limit for the first token of a streamed call, and for the complete response of one that is not streamed.',
      },
      max_tokens: {
        type: 'integer',
        otherwise: 'the provider’s own limit',
        rule: checkPositive,
        description: 'Maximum length of a response in tokens, for calls that set no limit.',
      },
    },
  },

  timeouts: {
    form: 'single',
    description: 'Time limits for the phases of a call; `"0s"` means no limit.',
    fields: {
      connect: {
        type: 'duration',
        default: '10s',
        rule: checkTimeout,
        description: 'Time to establish the connection.',
      },
      first_token: {
        type: 'duration',
        otherwise: '`120s`; while a fallback target is left, `20s`, or `60s` with reasoning',
        rule: checkTimeout,
        description: 'Time to the first content of a stream; overrides `default_timeout`.',
      },
      idle: {
        type: 'duration',
        otherwise: '`90s`; while a fallback target is left, `30s`, or `60s` with reasoning',
        rule: checkTimeout,
        description: 'Time between two pieces of content in a stream; keep-alive messages do not count.',
      },
      total: {
        type: 'duration',
        otherwise: 'none for a streamed call, `10m` for one that is not streamed',
        rule: checkTimeout,
        description: 'Time for the complete call, streamed or not; overrides `default_timeout`.',
      },
    },
  },

  proxy: {
    form: 'single',
    description: 'The HTTP proxy for calls to providers.',
    fields: {
      http: {
        type: 'URL',
        rule: checkPlainUrl,
        description:
          'The proxy URL; also used for `https` addresses when `https` is not set. The environment variable `HTTP_PROXY` overrides it.',
      },
      https: {
        type: 'URL',
        otherwise: 'same as `http`',
        rule: checkPlainUrl,
        description: 'The proxy URL for `https` addresses. The environment variable `HTTPS_PROXY` overrides it.',
      },
      no_proxy: {
        type: 'list of strings',
        description:
          'Hosts to connect to directly: names, addresses, networks such as `10.0.0.0/8`, or `*`. The environment variable `NO_PROXY` overrides it.',
      },
    },
  },

  network: {
    form: 'single',
    description: 'Connections to providers. Paths are relative to the configuration file.',
    fields: {
      ca_file: {
        type: 'path',
        rule: checkNotEmpty,
        description: 'A PEM file with CA certificates to trust in addition to the default ones.',
      },
      client_cert_file: {
        type: 'path',
        rule: checkNotEmpty,
        description: 'A PEM file with the client certificate and its chain, for mutual TLS.',
      },
      client_key_file: {
        type: 'path',
        rule: checkNotEmpty,
        description: 'A PEM file with the unencrypted private key of `client_cert_file`.',
      },
      max_connections: {
        type: 'integer',
        otherwise: 'no limit',
        rule: checkPositive,
        description: 'Maximum number of open connections to one address; further calls wait.',
      },
      http2: { type: 'boolean', default: false, description: 'Use HTTP/2 with servers that offer it.' },
      local_address: {
        type: 'string',
        otherwise: 'chosen by the operating system',
        rule: checkIpAddress,
        description: 'The local IP address to connect from.',
      },
      keep_alive: {
        type: 'duration',
        default: '30s',
        rule: checkPositiveTimeout,
        description: 'How long to keep an idle connection open when the server does not specify it.',
      },
    },
  },

  healing: {
    form: 'single',
    description: 'How typed responses and tool-call arguments are repaired when a model returns malformed output.',
    fields: {
      enabled: {
        type: 'boolean',
        default: true,
        description:
          'Repair malformed output. When `false`, a response that does not match the schema exactly is an error.',
      },
      strict_mode: {
        type: 'boolean',
        default: false,
        description: 'Treat any change to the response as an error that reports the change.',
      },
      allow_type_coercion: {
        type: 'boolean',
        default: true,
        description: 'Convert values to the type in the schema, such as `"5"` to `5`.',
      },
      min_confidence: {
        type: 'number',
        default: 0.7,
        rule: checkFraction,
        description: 'From 0 to 1: a value with less confidence than this is an error that contains the value.',
      },
    },
  },

  router: {
    form: 'single',
    description: 'How a target is selected from several, and what happens when it fails.',
    fields: {
      strategy: {
        type: 'choice',
        default: 'priority',
        choices: strategyNames,
        addedBy: 'strategies',
        description: 'How the first target is selected. Plugins add further strategies.',
      },
      fallback_enabled: {
        type: 'boolean',
        default: true,
        description: 'Try the next target when one fails before it has sent any content.',
      },
      fallback_on: {
        type: 'list of strings',
        otherwise: 'all except `bad-request`, `healing`, `configuration` and `internal`',
        rule: checkErrorKinds,
        description: 'The error kinds after which the next target is tried.',
      },
      on_cut: {
        type: 'choice',
        default: 'fail',
        choices: ['fail', 'continue'],
        description: 'What happens to a response whose stream breaks off: it fails, or another target continues it.',
      },
    },
  },

  retry: {
    form: 'single',
    description: 'Retries at the same target, as long as no content has been received.',
    fields: {
      max_attempts: {
        type: 'integer',
        default: 3,
        rule: checkPositive,
        description: 'Maximum number of calls to one target, including the first; 1 means no retries.',
      },
      initial_backoff: {
        type: 'duration',
        default: '100ms',
        rule: checkTimeout,
        description: 'The delay before the first retry.',
      },
      multiplier: {
        type: 'number',
        default: 2,
        rule: checkAtLeastOne,
        description: 'The factor by which each further delay grows.',
      },
      max_backoff: { type: 'duration', default: '10s', rule: checkTimeout, description: 'The maximum delay.' },
      jitter: {
        type: 'boolean',
        default: true,
        description: 'Randomize each delay by ±30 %, so that clients that failed together do not retry together.',
      },
      retryable_errors: {
        type: 'list of strings',
        otherwise: '`rate-limit`, `overloaded`, `upstream`, `network`, `timeout`',
        rule: checkErrorKinds,
        description: 'The error kinds after which a call is retried.',
      },
      max_retry_after: {
        type: 'duration',
        default: '60s',
        rule: checkTimeout,
        description:
          'Do not retry when a provider requests a longer delay than this. If not set, the limit is `1s` while a fallback target is left.',
      },
      budget: {
        type: 'number',
        default: 0.1,
        rule: checkFraction,
        description: 'Maximum share of retries, from 0 to 1, among the calls to one target in the last 10 s.',
      },
      budget_reserve: {
        type: 'integer',
        default: 10,
        rule: checkNotNegative,
        description: 'Number of retries at one target that are always allowed in 10 s, even with few calls.',
      },
    },
  },

  breaker: {
    form: 'single',
    description:
      'The circuit breaker: when a target that stalls or keeps failing gets no calls, and when it is probed.',
    fields: {
      enabled: { type: 'boolean', default: true, description: 'Stop calling a failing target for a while.' },
      window: {
        type: 'duration',
        default: '30s',
        rule: checkPositiveTimeout,
        description: 'The time window in which calls are counted.',
      },
      failure_ratio: {
        type: 'number',
        default: 0.5,
        rule: checkFraction,
        description: 'From 0 to 1: the share of calls in the window that must fail to open the breaker.',
      },
      min_calls: {
        type: 'integer',
        default: 10,
        rule: checkPositive,
        description: 'Minimum number of calls in the window before the ratio applies.',
      },
      open_for: {
        type: 'duration',
        default: '1s',
        rule: checkPositiveTimeout,
        description: 'How long the target gets no calls before it is probed; doubles each time a probe fails.',
      },
      max_open_for: {
        type: 'duration',
        default: '60s',
        rule: checkPositiveTimeout,
        description: 'The maximum time between two probes.',
      },
      probes: {
        type: 'integer',
        default: 2,
        rule: checkPositive,
        description: 'Number of probes that must succeed to close the breaker; one after a single stall.',
      },
    },
  },

  cache: {
    form: 'single',
    description: 'The response cache: a repeated request gets the stored response.',
    fields: {
      enabled: {
        type: 'boolean',
        default: false,
        description:
          'Cache responses, and share one response among identical calls in progress. A call can override this.',
      },
      backend: {
        type: 'choice',
        default: 'memory',
        choices: ['memory', 'redis'],
        description: 'Where responses are stored: in the memory of this process, or in Redis for several processes.',
      },
      ttl: {
        type: 'duration',
        default: '1h',
        rule: checkPositiveDuration,
        description: 'How long a response is stored.',
      },
      share: {
        type: 'boolean',
        default: false,
        description: 'Share cached responses and calls in progress between the keys of the gateway.',
      },
      max_size: {
        type: 'size',
        default: '64MB',
        rule: checkPositive,
        description:
          'For `memory`: maximum size of all responses together; beyond it, the key with the most loses its least recently used.',
      },
      url_env: {
        type: 'string',
        default: 'REDIS_URL',
        rule: checkUrlVariable,
        description: 'For `redis`: the environment variable that contains its URL, such as `redis://127.0.0.1:6379`.',
      },
      timeout: {
        type: 'duration',
        default: '50ms',
        rule: checkPositiveTimeout,
        description: 'For `redis`: time limit for an operation; after it, the call goes to the model.',
      },
    },
    refused: {
      url: 'not allowed here because the URL can contain a password; put it in an environment variable and set url_env to its name',
    },
  },

  ...serverSchema,

  providers: {
    form: 'list',
    description: 'One entry per provider, in order of preference.',
    fields: {
      type: {
        type: 'choice',
        required: true,
        choices: providerTypes,
        addedBy: 'providers',
        description: 'The type of the service. Plugins add further types.',
      },
      name: {
        type: 'string',
        otherwise: 'same as `type`',
        rule: checkProviderName,
        description: 'The name before the slash in `provider/model`; must be unique.',
      },
      model: {
        type: 'string',
        otherwise: 'the first of `models`, else a default for the vendor',
        rule: checkNotEmpty,
        description: 'The model for calls that name only the provider.',
      },
      models: {
        type: 'list of strings',
        description: 'Further models of this provider that calls can name without the provider.',
      },
      api_key_env: {
        type: 'string',
        otherwise: 'the vendor’s usual variable',
        only: 'remote',
        rule: checkKeyVariable,
        description:
          'The environment variable that contains the API key. The key itself is never written in this file.',
      },
      base_url: {
        type: 'URL',
        otherwise: 'the vendor’s URL',
        only: 'remote',
        rule: checkPlainUrl,
        description: 'The base URL of the service; required for the `…-compatible` types.',
      },
      wire: {
        type: 'choice',
        otherwise: 'the vendor’s usual API; `openai-chat` for OpenAI and compatible services',
        only: 'remote',
        choices: ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'],
        description: 'The API to call. `openai-responses` is available for services that speak `openai-chat`.',
      },
      headers: {
        type: 'map of strings',
        only: 'remote',
        rule: checkExtraHeaders,
        description: 'Additional headers for every call; must not contain an API key.',
      },
      timeout: {
        type: 'duration',
        otherwise: '`default_timeout`',
        only: 'remote',
        rule: checkTimeout,
        description:
          'The same as `default_timeout`, for this provider only; overrides `default_timeout` and `[timeouts]`.',
      },
      region: {
        type: 'string',
        otherwise: '`AWS_REGION`, else the region of the profile',
        only: 'aws',
        rule: checkRegion,
        description: 'For Amazon Bedrock: the AWS region, such as `us-east-1`.',
      },
      profile: {
        type: 'string',
        otherwise: '`AWS_PROFILE`, else `default`',
        only: 'aws',
        rule: checkNotEmpty,
        description: 'For Amazon Bedrock: the profile in the shared AWS files whose credentials are used.',
      },
      heal_tools: {
        type: 'boolean',
        otherwise: '`false` for vendors whose tool calls are reliable (`openai`, `anthropic`), else `true`',
        description:
          'The server heals tool-call arguments and sends parallel calls one after the other, instead of passing them through as they arrive.',
      },
      rules: {
        type: 'boolean',
        default: true,
        description:
          'Apply what is known of the vendor’s models and API versions to translated requests, see `docs/gateway.md`.',
      },
      drop_fields: {
        type: 'list of strings',
        rule: checkOmissibleFields,
        description:
          'Request fields that the models of this provider do not accept, such as `["stop", "logprobs"]`. They are left out and named in `x-simple-agents-dropped`, instead of an error.',
      },
      max_retries: {
        type: 'integer',
        otherwise: '`max_attempts` minus one',
        rule: checkNotNegative,
        description: 'Number of retries at this provider; overrides `max_attempts` in `[retry]`.',
      },
      weight: {
        type: 'number',
        default: 1,
        rule: checkAboveZero,
        description: 'The provider’s share of calls with the strategy `weighted`.',
      },
      seed: {
        type: 'integer',
        otherwise: 'a fixed seed',
        only: 'simulated',
        description: 'The seed of the simulated model: the same seed gives the same responses.',
      },
      script: {
        type: 'path',
        only: 'simulated',
        rule: checkNotEmpty,
        description: 'A file with replies for the simulated model, relative to the configuration file.',
      },
      settings: {
        type: 'table',
        only: 'plugin',
        description: 'For a type that a plugin adds: the settings that the plugin documents.',
      },
    },
    refused: {
      api_key: 'an API key must not be in this file; put it in an environment variable and set api_key_env to its name',
    },
  },

  models: {
    form: 'named',
    description: 'Aliases for models: a call for NAME goes to one of its targets.',
    fields: {
      targets: {
        type: 'list of strings',
        required: true,
        rule: checkTargets,
        description: 'A non-empty list of `provider/model`. The strategy selects one; the others are fallbacks.',
      },
      strategy: {
        type: 'choice',
        otherwise: 'same as in `[router]`',
        choices: strategyNames,
        addedBy: 'strategies',
        description: 'How the first target is selected. Plugins add further strategies.',
      },
      weights: {
        type: 'list of numbers',
        otherwise: 'the `weight` of each provider',
        rule: checkWeights,
        description: 'One number per target: its share of calls with the strategy `weighted`.',
      },
    },
  },

  chains: {
    form: 'list',
    description: 'Fallback targets for the calls to a model.',
    fields: {
      model: {
        type: 'string',
        otherwise: 'the default model',
        rule: checkNotEmpty,
        description:
          'The model name that the chain applies to, exactly as in requests: an alias, `provider/model`, or the model’s own name.',
      },
      targets: {
        type: 'list of strings',
        required: true,
        rule: checkTargets,
        description: 'A list of `provider/model`, in the order in which they are tried.',
      },
      fallback_on: {
        type: 'list of strings',
        otherwise: 'same as in `[router]`',
        rule: checkErrorKinds,
        description: 'The error kinds after which the next target is tried.',
      },
    },
  },

  guardrails: {
    form: 'named',
    description: 'The guardrails that plugins add, by name. A guardrail applies even without an entry here.',
    fields: {
      enabled: { type: 'boolean', default: true, description: 'Whether the guardrail applies.' },
      providers: {
        type: 'list of strings',
        otherwise: 'all providers',
        rule: checkNoneEmpty,
        description: 'The names of the providers whose responses it filters.',
      },
      settings: { type: 'table', description: 'The settings that the plugin documents.' },
    },
  },

  strategies: {
    form: 'named',
    description: 'The strategies that plugins add, by name.',
    fields: { settings: { type: 'table', description: 'The settings that the plugin documents.' } },
  },

  prices: {
    form: 'named',
    entry: 'provider/model',
    description: 'The price of a model in US dollars per million tokens; overrides the built-in price list.',
    fields: {
      input: {
        type: 'number',
        otherwise: 'built-in price',
        rule: checkPrice,
        description: 'Input tokens that were neither read from nor written to the prompt cache.',
      },
      output: { type: 'number', otherwise: 'built-in price', rule: checkPrice, description: 'Output tokens.' },
      cache_read: {
        type: 'number',
        otherwise: 'built-in price, else same as `input`',
        rule: checkPrice,
        description: 'Input tokens read from the prompt cache.',
      },
      cache_write: {
        type: 'number',
        otherwise: 'built-in price, else same as `input`',
        rule: checkPrice,
        description: 'Input tokens written to the prompt cache.',
      },
      reasoning: {
        type: 'number',
        otherwise: 'built-in price, else same as `output`',
        rule: checkPrice,
        description: 'Output tokens that are reasoning.',
      },
      context_window: {
        type: 'integer',
        otherwise: 'built-in value',
        rule: checkPositive,
        description: 'The context window of the model, in tokens.',
      },
    },
  },
} as const satisfies Readonly<Record<string, TableDefinition>>;
