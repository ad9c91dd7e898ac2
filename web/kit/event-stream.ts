// Reads a response of server-sent events: its data and its comments, in order. Only what this gateway sends: lines end with
// a line feed, and an event has one data line.

/** Milliseconds of reading after which the browser gets a turn, because a fast gateway sends without end. */
const turn = 5;

export type ServerLine = { readonly data: string } | { readonly comment: string };

export async function* readEvents(response: Response): AsyncGenerator<ServerLine, void, undefined> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let begun = performance.now();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (performance.now() - begun > turn) {
          await new Promise((resolve) => setTimeout(resolve));
          begun = performance.now();
        }
        if (line.startsWith('data: ')) yield { data: line.slice('data: '.length) };
        else if (line.startsWith(': ')) yield { comment: line.slice(2) };
      }
    }
  } finally {
    // The view may stop reading before the end.
    await reader.cancel().catch(() => undefined);
  }
}
