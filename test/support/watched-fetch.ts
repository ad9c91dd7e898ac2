// `fetch` whose response a test can follow while another reader consumes it, so that an upstream can wait for what its
// client has received instead of for a time.

export interface WatchedFetch {
  readonly fetch: typeof fetch;
  /** Resolves when the text of a response has matched the pattern. */
  receives(pattern: RegExp): Promise<void>;
}

export function watchFetch(): WatchedFetch {
  let text = '';
  const waiting: { readonly pattern: RegExp; readonly resolve: () => void }[] = [];
  const follow = async (body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> => {
    text = '';
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      for (const { pattern, resolve } of waiting) if (pattern.test(text)) resolve();
    }
  };
  return {
    async fetch(...call) {
      const response = await fetch(...call);
      if (response.body === null) return response;
      const [own, passed] = response.body.tee();
      void follow(own);
      return new Response(passed, response);
    },
    receives(pattern) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ pattern, resolve });
      if (pattern.test(text)) resolve();
      return promise;
    },
  };
}
