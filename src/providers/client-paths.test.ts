// Whatever model name, id or path a client chooses: at every vendor the URL stays below that of a plain name, and a model
// name stays one segment, or the request is refused by the name of the field before anything is sent.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { SimpleAgentsError } from '../core/error.ts';
import type { ForwardRequest } from '../core/forward.ts';
import { text } from '../core/message.ts';
import type { Provider } from '../core/provider.ts';
import { createVendorProvider } from './vendor-provider.ts';
import { vendors, type VendorRow } from './vendors.ts';

const never = new AbortController().signal;
const messages = [{ role: 'user', content: [text('Hi')] }] as const;
const forwarded = (path: string): ForwardRequest => ({
  wire: 'openai-chat',
  method: 'GET',
  path,
  query: '',
  headers: {},
});

/** Every call whose URL may contain text of a client. */
const calls: Readonly<Record<string, (provider: Provider, name: string) => Promise<unknown> | undefined>> = {
  streamed: (provider, model) => provider.open({ model, maxTokens: 9, messages, stream: true }, never),
  whole: (provider, model) => provider.open({ model, maxTokens: 9, messages, stream: false }, never),
  counted: (provider, model) => provider.countTokens?.({ model, messages }, never),
  embedded: (provider, model) =>
    provider.embed?.({ model: `titan-embed-${model}`, inputs: ['a'], stream: false }, never),
  forwardedFile: (provider, id) => provider.forward?.(forwarded(`/v1/files/${id}/content`), never),
  forwardedItem: (provider, id) => provider.forward?.(forwarded(`/v1/conversations/conv_1/items/${id}`), never),
};

interface Attempt {
  readonly url: URL | undefined;
  readonly error: unknown;
}

async function attempt(
  vendor: VendorRow,
  call: (provider: Provider) => Promise<unknown> | undefined,
): Promise<Attempt> {
  let url: URL | undefined;
  const transport = {
    send(request: { readonly url: string }) {
      url = new URL(request.url);
      return Promise.reject(new SimpleAgentsError('network', 'not sent'));
    },
    close: () => Promise.resolve(),
  };
  const baseUrl = (vendor.baseUrl ?? 'https://host.example/v1/projects/own').replace('{region}', 'eu-west-1');
  const provider = createVendorProvider(vendor, { baseUrl, apiKey: 'upstream-key', transport });
  const error = await Promise.resolve()
    .then(() => call(provider))
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  return { url, error };
}

/** The path as a server resolves it that decodes it before. */
function resolvedPath({ pathname }: URL): string {
  return new URL(`https://host.example${decodeURIComponent(pathname).replaceAll('?', '_').replaceAll('#', '_')}`)
    .pathname;
}

const pieces = ['..', '.', '/', '\\', '%2e', '%2F', '%25', '%', '?', '#', ':', ';', '@', 'a', 'models', 'tunedModels/'];
const hostile = fc
  .array(
    fc.oneof(fc.constantFrom(...pieces, '\0', '\r\n', 'projects/other'), fc.string({ maxLength: 3, unit: 'binary' })),
  )
  .map((parts) => parts.join(''));
const known = ['g/../../../v1/files', '..', '%2e%2e', '..%2f..', '', 'a\\..\\b', 'models/..', 'tunedModels/../../x'];

for (const vendor of vendors) {
  describe(vendor.name, () => {
    for (const [form, call] of Object.entries(calls)) {
      test(`${form}: stays below its prefix`, async () => {
        const plain = await attempt(vendor, (provider) => call(provider, 'plain'));
        if (plain.url === undefined) return;
        const [before, after] = plain.url.pathname.split('plain', 2);
        const check = async (name: string): Promise<void> => {
          const { url, error } = await attempt(vendor, (provider) => call(provider, name));
          if (url === undefined) return assertRefusal(error, name);
          assert.equal(url.origin + url.search, plain.url?.origin + (plain.url?.search ?? ''));
          if (after === undefined) return assert.equal(url.pathname, before);
          const collection = name.startsWith('tunedModels/') && vendor.wire === 'gemini' ? 'tunedModels/' : 'models/';
          const start = before?.replace(/models\/$/, collection);
          assert.ok(url.pathname.startsWith(start ?? '') && url.pathname.endsWith(after), url.href);
          assert.ok(resolvedPath(url).startsWith(start ?? ''), url.href);
          if (!form.startsWith('forwarded'))
            assert.equal(url.pathname.split('/').length, plain.url?.pathname.split('/').length, url.href);
        };
        for (const name of known) await check(name);
        await fc.assert(fc.asyncProperty(hostile, check), { numRuns: 20 });
      });
    }
  });
}

function assertRefusal(error: unknown, name: string): void {
  assert.ok(error instanceof SimpleAgentsError && error.kind === 'bad-request', `${name}: ${String(error)}`);
  assert.match(error.message, /^(?:model|path): /);
}
