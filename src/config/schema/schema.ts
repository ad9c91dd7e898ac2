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
  checkDeadline,
  checkNotEmpty,
  checkIpAddress,
  checkPositiveTimeout,
  checkNotNegative,
  checkPlainUrl,
  checkPositive,
  checkProviderName,
  checkPrice,
  checkFraction,
  checkPositiveDuration,
  checkTimeout,
  checkKeyVariable,
} from './rules.ts';
import { serverSchema } from './server-schema.ts';

export const schema = {
  client: {
    form: 'single',
    description: 'What a call uses when it does not say otherwise.',
    fields: {
      default_model: {
        type: 'string',
        otherwise: 'that of the default provider, else of the first',
        rule: checkNotEmpty,
        description: 'The model of a call that names none: an alias, `provider/model`, or a model’s own name.',
      },
      default_provider: {
        type: 'string',
        rule: checkProviderName,
        description: 'The provider of a model name that nothing else decides.',
      },
      default_timeout: {
        type: 'duration',
        otherwise: 'as `[timeouts]` says',
        rule: checkTimeout,
        description: 'Bounds the wait for the first token of a stream, and the whole of a call that is not streamed.',
      },
      max_tokens: {
        type: 'integer',
        otherwise: 'the provider’s own limit',
        rule: checkPositive,
        description: 'The longest answer of a call that sets no limit, in tokens.',
      },
    },
  },

  timeouts: {
    form: 'single',
    description: 'How long the parts of a call may take; `"0s"` means no limit.',
    fields: {
      connect: { type: 'duration', default: '10s', rule: checkTimeout, description: 'Until the connection is made.' },
      first_token: {
        type: 'duration',
        otherwise: '`120s`; `20s` while another target can be asked, `60s` then with reasoning',
        rule: checkTimeout,
        description: 'Until a stream’s first content; overrides `default_timeout`.',
      },
      idle: {
        type: 'duration',
        otherwise: '`90s`; `30s` while another target can be asked, `60s` then with reasoning',
        rule: checkTimeout,
        description: 'Between two pieces of a stream’s content; keep-alive signals do not count.',
      },
      total: {
        type: 'duration',
        otherwise: 'none for a stream, `10m` for a call that is not streamed',
        rule: checkTimeout,
        description: 'The whole of a call, streamed or not; overrides `default_timeout`.',
      },
    },
  },

  proxy: {
    form: 'single',
    description: 'The way out to the network.',
    fields: {
      http: {
        type: 'URL',
        rule: checkPlainUrl,
        description:
          'The proxy, for `https` addresses too when `https` is not set. The variable `HTTP_PROXY` overrides it.',
      },
      https: {
        type: 'URL',
        otherwise: 'as `http`',
        rule: checkPlainUrl,
        description: 'The proxy for `https` addresses. The variable `HTTPS_PROXY` overrides it.',
      },
      no_proxy: {
        type: 'list of strings',
        description:
          'Hosts reached without the proxy: names, addresses, networks such as `10.0.0.0/8`, or `*`. The variable `NO_PROXY` overrides it.',
      },
    },
  },

  network: {
    form: 'single',
    description: 'How connections to providers are made. The paths are relative to the configuration file.',
    fields: {
      ca_file: {
        type: 'path',
        rule: checkNotEmpty,
        description: 'A PEM file with certificates of authorities that are trusted in addition to the usual ones.',
      },
      client_cert_file: {
        type: 'path',
        rule: checkNotEmpty,
        description: 'A PEM file with the certificate that servers know this client by, and its chain.',
      },
      client_key_file: {
        type: 'path',
        rule: checkNotEmpty,
        description: 'A PEM file with the private key of `client_cert_file`, not encrypted.',
      },
      max_connections: {
        type: 'integer',
        otherwise: 'no limit',
        rule: checkPositive,
        description: 'The most connections to one address at a time; further calls wait.',
      },
      http2: { type: 'boolean', default: false, description: 'Use HTTP/2 with servers that offer it.' },
      local_address: {
        type: 'string',
        otherwise: 'the system’s choice',
        rule: checkIpAddress,
        description: 'The IP address of this machine to connect from.',
      },
      keep_alive: {
        type: 'duration',
        default: '30s',
        rule: checkPositiveTimeout,
        description: 'How long an idle connection is kept when the server does not say.',
      },
    },
  },

  healing: {
    form: 'single',
    description: 'How typed answers and tool-call arguments are mended when a model damages them.',
    fields: {
      enabled: {
        type: 'boolean',
        default: true,
        description: 'Mend at all; without, an answer that is not exactly what was asked for is an error.',
      },
      strict_mode: { type: 'boolean', default: false, description: 'Any change is an error that tells the change.' },
      allow_type_coercion: {
        type: 'boolean',
        default: true,
        description: 'Turn values into the type the schema wants, such as `"5"` into `5`.',
      },
      min_confidence: {
        type: 'number',
        default: 0.7,
        rule: checkFraction,
        description: 'From 0 to 1: a value less sure than this is an error that carries the value.',
      },
    },
  },

  router: {
    form: 'single',
    description: 'How one of several targets is chosen, and what happens when it fails.',
    fields: {
      strategy: {
        type: 'choice',
        default: 'priority',
        choices: strategyNames,
        description: 'Which target is asked first.',
      },
      fallback_enabled: {
        type: 'boolean',
        default: true,
        description: 'Ask the next target when one fails before anything came.',
      },
      fallback_on: {
        type: 'list of strings',
        otherwise: 'every kind but `bad-request`, `healing`, `configuration` and `internal`',
        rule: checkErrorKinds,
        description: 'The kinds of errors after which the next target is asked.',
      },
      on_cut: {
        type: 'choice',
        default: 'fail',
        choices: ['fail', 'continue'],
        description: 'What becomes of a text that is cut in the middle: an error, or another target goes on with it.',
      },
    },
  },

  retry: {
    form: 'single',
    description: 'Trying again at the same target, while nothing has come of the answer.',
    fields: {
      max_attempts: {
        type: 'integer',
        default: 3,
        rule: checkPositive,
        description: 'Calls at one target in all; 1 means none is made again.',
      },
      initial_backoff: {
        type: 'duration',
        default: '100ms',
        rule: checkTimeout,
        description: 'The pause before the second call.',
      },
      multiplier: {
        type: 'number',
        default: 2,
        rule: checkAtLeastOne,
        description: 'How much longer each further pause is.',
      },
      max_backoff: { type: 'duration', default: '10s', rule: checkTimeout, description: 'The longest pause.' },
      jitter: {
        type: 'boolean',
        default: true,
        description: 'Spread each pause by ±30 %, so that clients that failed together do not come back together.',
      },
      retryable_errors: {
        type: 'list of strings',
        otherwise: '`rate-limit`, `overloaded`, `upstream`, `network`, `timeout`',
        rule: checkErrorKinds,
        description: 'The kinds of errors after which a call is made again.',
      },
      max_retry_after: {
        type: 'duration',
        default: '60s',
        rule: checkTimeout,
        description:
          'A provider that asks for a longer pause is not waited for. If not set, `1s` while another target can be asked.',
      },
      budget: {
        type: 'number',
        default: 0.1,
        rule: checkFraction,
        description: 'Retries at one target as a part, from 0 to 1, of its calls of the last 10 s.',
      },
      budget_reserve: {
        type: 'integer',
        default: 10,
        rule: checkNotNegative,
        description: 'Retries at one target in 10 s that are allowed however few calls there are.',
      },
    },
  },

  breaker: {
    form: 'single',
    description: 'When a target that stalls or keeps failing gets no calls, and when it is probed.',
    fields: {
      enabled: { type: 'boolean', default: true, description: 'Whether failing targets get no calls for a while.' },
      window: {
        type: 'duration',
        default: '30s',
        rule: checkPositiveTimeout,
        description: 'How far back calls are counted.',
      },
      failure_ratio: {
        type: 'number',
        default: 0.5,
        rule: checkFraction,
        description: 'From 0 to 1: the part of these calls that must have failed.',
      },
      min_calls: {
        type: 'integer',
        default: 10,
        rule: checkPositive,
        description: 'With fewer calls the ratio does not count.',
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
        description: 'The longest time between two probes.',
      },
      probes: {
        type: 'integer',
        default: 2,
        rule: checkPositive,
        description: 'How many probes must succeed; after a single stall, one.',
      },
    },
  },

  cache: {
    form: 'single',
    description: 'Answers that are kept, so that the same question is asked once.',
    fields: {
      enabled: {
        type: 'boolean',
        default: false,
        description: 'Keep answers, and share those under way; a call may say otherwise.',
      },
      backend: {
        type: 'choice',
        default: 'memory',
        choices: ['memory', 'redis'],
        description: 'Where answers are kept: in this process, or in Redis for many.',
      },
      ttl: { type: 'duration', default: '1h', rule: checkPositiveDuration, description: 'How long an answer is kept.' },
      share: {
        type: 'boolean',
        default: false,
        description:
          'Whether a key of the gateway is given answers to what other keys asked, and shares calls in progress.',
      },
      max_size: {
        type: 'size',
        default: '64MB',
        rule: checkPositive,
        description: 'For `memory`: how much all answers together may take; those used longest ago go first.',
      },
      url_env: {
        type: 'string',
        default: 'REDIS_URL',
        rule: checkUrlVariable,
        description: 'For `redis`: the environment variable that holds its address, such as `redis://127.0.0.1:6379`.',
      },
      timeout: {
        type: 'duration',
        default: '50ms',
        rule: checkDeadline,
        description: 'For `redis`: how long an operation may take; then the model is asked.',
      },
    },
    refused: { url: 'the address may hold a password; put it in an environment variable and name that with url_env' },
  },

  ...serverSchema,

  providers: {
    form: 'list',
    description: 'One entry for each provider; the order is the order of preference.',
    fields: {
      type: { type: 'choice', required: true, choices: providerTypes, description: 'Which service it is.' },
      name: {
        type: 'string',
        otherwise: 'the type',
        rule: checkProviderName,
        description: 'What stands before the slash in `provider/model`; no two providers share one.',
      },
      model: {
        type: 'string',
        otherwise: 'the first of `models`, else one of the vendor’s',
        rule: checkNotEmpty,
        description: 'The model when a call names only the provider.',
      },
      models: {
        type: 'list of strings',
        description: 'Further models this provider answers for when a call names the model alone.',
      },
      api_key_env: {
        type: 'string',
        otherwise: 'the vendor’s own variable',
        only: 'remote',
        rule: checkKeyVariable,
        description: 'The environment variable that holds the key. The key itself never stands in the file.',
      },
      base_url: {
        type: 'URL',
        otherwise: 'the vendor’s own address',
        only: 'remote',
        rule: checkPlainUrl,
        description: 'Where the service is; required for the `…-compatible` types.',
      },
      headers: {
        type: 'map of strings',
        only: 'remote',
        rule: checkExtraHeaders,
        description: 'Headers sent with every call; none that carries a key.',
      },
      timeout: {
        type: 'duration',
        otherwise: '`default_timeout`',
        only: 'remote',
        rule: checkTimeout,
        description: 'As `default_timeout`, for this provider; goes before it and before `[timeouts]`.',
      },
      heal_tools: {
        type: 'boolean',
        otherwise: '`false` for vendors that see to it themselves (`openai`, `anthropic`), else `true`',
        description:
          'The server heals tool-call arguments and sends parallel calls one at a time, instead of passing them as they come.',
      },
      max_retries: {
        type: 'integer',
        otherwise: '`max_attempts` less one',
        rule: checkNotNegative,
        description: 'Calls after the first, at this provider; goes before `max_attempts` in `[retry]`.',
      },
      weight: {
        type: 'number',
        default: 1,
        rule: checkAboveZero,
        description: 'Its part of the calls when the strategy is `weighted`.',
      },
      seed: {
        type: 'integer',
        otherwise: 'a fixed seed',
        only: 'simulated',
        description: 'The same seed gives the same answers, another seed others.',
      },
      script: {
        type: 'path',
        only: 'simulated',
        rule: checkNotEmpty,
        description: 'A file of replies for the simulated model, relative to the configuration file.',
      },
    },
    refused: {
      api_key: 'a key does not belong in this file; put it in an environment variable and name that with api_key_env',
    },
  },

  models: {
    form: 'named',
    description: 'Names of your own for models: ask for NAME, get one of its targets.',
    fields: {
      targets: {
        type: 'list of strings',
        required: true,
        rule: checkTargets,
        description: 'A list of `provider/model`, not empty; the strategy chooses, and the others stand by.',
      },
      strategy: {
        type: 'choice',
        otherwise: 'that of `[router]`',
        choices: strategyNames,
        description: 'Which target is asked first.',
      },
      weights: {
        type: 'list of numbers',
        otherwise: 'the `weight` of each provider',
        rule: checkWeights,
        description: 'One for each target: its part of the calls when the strategy is `weighted`.',
      },
    },
  },

  chains: {
    form: 'list',
    description: 'Where the calls of a model go on when they fail.',
    fields: {
      model: {
        type: 'string',
        otherwise: 'the default model',
        rule: checkNotEmpty,
        description:
          'The name these targets belong to, exactly as requests write it: an alias, `provider/model`, or a model’s own name.',
      },
      targets: {
        type: 'list of strings',
        required: true,
        rule: checkTargets,
        description: 'A list of `provider/model`, in the order they are asked.',
      },
      fallback_on: {
        type: 'list of strings',
        otherwise: 'that of `[router]`',
        rule: checkErrorKinds,
        description: 'The kinds of errors after which the next is asked.',
      },
    },
  },

  prices: {
    form: 'named',
    entry: 'provider/model',
    description: 'What a model costs, in US dollars for a million tokens, where the built-in list is not right.',
    fields: {
      input: {
        type: 'number',
        otherwise: 'as listed',
        rule: checkPrice,
        description: 'What is asked, as far as the prompt cache neither served nor stored it.',
      },
      output: { type: 'number', otherwise: 'as listed', rule: checkPrice, description: 'What is answered.' },
      cache_read: {
        type: 'number',
        otherwise: 'as listed, else as `input`',
        rule: checkPrice,
        description: 'What the prompt cache served.',
      },
      cache_write: {
        type: 'number',
        otherwise: 'as listed, else as `input`',
        rule: checkPrice,
        description: 'What the prompt cache stored.',
      },
      reasoning: {
        type: 'number',
        otherwise: 'as listed, else as `output`',
        rule: checkPrice,
        description: 'The part of the answer that is reasoning.',
      },
      context_window: {
        type: 'integer',
        otherwise: 'as listed',
        rule: checkPositive,
        description: 'How many tokens the model can read at once.',
      },
    },
  },
} as const satisfies Readonly<Record<string, TableDefinition>>;
