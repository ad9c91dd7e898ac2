// Attempts to make a server connect somewhere else, as data: addresses in every spelling, and the places in a request
// where a careless gateway would look for one.

/** Spellings of the address of a trap, and addresses that only the machine itself should reach. */
export function addressesOf(port: number): readonly string[] {
  return [
    `http://127.0.0.1:${port}/`,
    `http://localhost:${port}/v1`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://[::ffff:7f00:1]:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f000001:${port}/`,
    `http://0177.0.0.1:${port}/`,
    `http://127.1:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://127.0.0.1.nip.io:${port}/`,
    `http://user:password@127.0.0.1:${port}/`,
    `http://api.openai.com@127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}#@api.openai.com/`,
    `http://127.0.0.1:${port}?@api.openai.com/`,
    `http:\\\\127.0.0.1:${port}\\`,
    `//127.0.0.1:${port}/`,
    `http:127.0.0.1:${port}`,
    `http://①②⑦.⓪.⓪.①:${port}/`,
    `http://127。0。0。1:${port}/`,
    `http://127.0.0.1:${port}/%2e%2e/`,
    `http://127.0.0.1:${port}/\r\nhost: evil.example`,
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://[fd00:ec2::254]/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'unix:/var/run/docker.sock',
    'data:text/plain,hi',
    'javascript:alert(1)',
  ];
}

/** What a client sends in addition to a valid call. */
export interface Redirection {
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly content?: unknown;
}

const image = (url: string) => [
  { type: 'text', text: 'hi' },
  { type: 'image_url', image_url: { url } },
];
const picture = (url: string) => [
  { type: 'text', text: 'hi' },
  { type: 'image', source: { type: 'url', url } },
];
/** Header values are Latin-1 without line breaks. */
const plain = (text: string) => text.replaceAll(/[^\u0020-\u007e]/g, '?');
const tool = (parameters: unknown) => [{ type: 'function', function: { name: 'f', parameters } }];

export const redirections: Readonly<Record<string, (address: string) => Redirection>> = {
  'the model is an address': (address) => ({ model: address }),
  'the model of a provider is an address': (address) => ({ model: `openai/${address}` }),
  'the model climbs': (address) => ({ model: `openai/../../${address}` }),
  'the provider is an address': (address) => ({ model: `${address}/openai/m` }),
  'fields that name a base': (address) => ({
    body: { base_url: address, baseUrl: address, api_base: address, baseURL: address, endpoint: address },
  }),
  'fields that name a host': (address) => ({
    body: { host: address, url: address, proxy: address, custom_host: address, upstream: address, webhook: address },
  }),
  'fields that name a provider': (address) => ({
    body: { provider: { name: 'x', type: 'openai', base_url: address }, providers: [{ base_url: address }] },
  }),
  'fields that name headers': (address) => ({
    body: { extra_headers: { host: address }, headers: { host: address }, extra_body: { base_url: address } },
  }),
  'headers that name a base': (address) => ({
    headers: {
      'x-base-url': plain(address),
      'x-api-base': plain(address),
      'x-portkey-custom-host': plain(address),
      'x-litellm-api-base': plain(address),
      'x-upstream': plain(address),
      'helicone-target-url': plain(address),
    },
  }),
  'headers that name a host': (address) => ({
    headers: {
      'x-forwarded-host': plain(address),
      'x-original-url': plain(address),
      'x-rewrite-url': plain(address),
      'forwarded': `host="${plain(address)}"`,
      'x-host': plain(address),
      'destination': plain(address),
    },
  }),
  'headers that name a proxy': (address) => ({
    headers: {
      'proxy': plain(address),
      'http-proxy': plain(address),
      'x-http-proxy': plain(address),
      'referer': plain(address),
    },
  }),
  'the query': (address) => {
    const value = encodeURIComponent(address);
    return { query: `?base_url=${value}&api_base=${value}&url=${value}&host=${value}&model=${value}` };
  },
  'an image of OpenAI': (address) => ({ content: image(address) }),
  'an image of Anthropic': (address) => ({ content: picture(address) }),
  'a schema elsewhere': (address) => ({
    body: {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 's', schema: { $schema: address, $id: address, $ref: `${address}schema.json` } },
      },
    },
  }),
  'a tool whose schema is elsewhere': (address) => ({ body: { tools: tool({ $ref: address }) } }),
  'servers of tools': (address) => ({
    body: {
      mcp_servers: [{ type: 'url', url: address, name: 'x' }],
      tools: [{ type: 'mcp', server_url: address, server_label: 'x' }],
    },
  }),
};
