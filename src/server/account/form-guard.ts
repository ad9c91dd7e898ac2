// A multipart form on its way to a provider whose account other keys share: the name of every field is checked before the
// field is passed on. Fields with a reference to a stored object are refused. Nothing is held but the head of one part.
// Invariant: what readers of forms could understand in different ways is refused, so that no field is hidden from the check.

import { throwHttpError } from '../http/http-error.ts';
import { isReferenceField } from './stored-reference.ts';

const longestHead = 8192;
const lineEnd = '\r\n';

/** The boundary of a form; undefined for any other type, and for a form with other parameters. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  const form = /^multipart\/form-data *; *boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70})) *$/i;
  const [, quoted, plain] = form.exec(contentType ?? '') ?? [];
  return quoted ?? plain;
}

/** Passes the bytes of a form on. `refuse` is called with the name of a field that is a reference, and must throw. */
export async function* guardForm(
  chunks: AsyncIterable<Uint8Array>,
  boundary: string,
  refuse: (field: string) => never,
): AsyncGenerator<Uint8Array> {
  const guard = new FormGuard(boundary, refuse);
  for await (const chunk of chunks) {
    const checked = guard.push(chunk);
    if (checked.length > 0) yield checked;
  }
  guard.end();
}

type State = 'delimiter' | 'head' | 'content' | 'end';

class FormGuard {
  readonly #delimiter: Buffer;
  readonly #refuse: (field: string) => never;
  #state: State = 'delimiter';
  /** Bytes that are not checked yet. */
  #held = Buffer.alloc(0);
  /** How many of them are. */
  #checked = 0;

  constructor(boundary: string, refuse: (field: string) => never) {
    this.#delimiter = Buffer.from(`--${boundary}`, 'latin1');
    this.#refuse = refuse;
  }

  /** Returns the bytes that may be passed on. */
  push(chunk: Uint8Array): Uint8Array {
    this.#held = Buffer.concat([this.#held, chunk]);
    while (this.#step());
    const passed = this.#held.subarray(0, this.#checked);
    this.#held = this.#held.subarray(this.#checked);
    this.#checked = 0;
    return passed;
  }

  end(): void {
    if (this.#state !== 'end') malformed('the form ends early');
  }

  /** Checks a part of the bytes. Returns whether there may be more to check. */
  #step(): boolean {
    switch (this.#state) {
      case 'delimiter':
        return this.#takeDelimiter();
      case 'head':
        return this.#takeHead();
      case 'content':
        return this.#takeContent();
      case 'end':
        return this.#takeEnd();
    }
  }

  /** What follows a delimiter is a line end, or two dashes after the last part. */
  #takeDelimiter(): boolean {
    const { length } = this.#delimiter;
    const rest = this.#held.subarray(this.#checked);
    if (rest.length < length + 2) return false;
    if (!rest.subarray(0, length).equals(this.#delimiter)) return malformed('it must begin with its boundary');
    const after = rest.toString('latin1', length, length + 2);
    if (after !== lineEnd && after !== '--') return malformed('its boundary is part of a field');
    this.#checked += length + 2;
    this.#state = after === lineEnd ? 'head' : 'end';
    return true;
  }

  #takeHead(): boolean {
    const end = this.#held.indexOf(lineEnd + lineEnd, this.#checked);
    const length = (end === -1 ? this.#held.length : end) - this.#checked;
    if (length > longestHead) return malformed(`the head of a part is longer than ${longestHead} bytes`);
    if (end === -1) return false;
    const name = fieldOf(this.#held.toString('latin1', this.#checked, end));
    if (isReferenceField(name)) return this.#refuse(name);
    this.#checked = end + 2 * lineEnd.length;
    this.#state = 'content';
    return true;
  }

  #takeContent(): boolean {
    const at = this.#held.indexOf(this.#delimiter, this.#checked);
    if (at === -1) {
      // A delimiter, and the line end before it, may have begun.
      this.#checked = Math.max(this.#checked, this.#held.length - this.#delimiter.length - lineEnd.length);
      return false;
    }
    const isLine = at >= lineEnd.length && this.#held.toString('latin1', at - lineEnd.length, at) === lineEnd;
    if (!isLine) return malformed('its boundary is part of a field');
    this.#checked = at;
    this.#state = 'delimiter';
    return true;
  }

  #takeEnd(): boolean {
    if (this.#held.toString('latin1', this.#checked).trim() !== '') return malformed('bytes follow its end');
    this.#checked = this.#held.length;
    return false;
  }
}

const headLine = /^([!#$%&'*+.^_`|~0-9a-z-]+):[ \t]*([\t\u0020-\u007e\u0080-\u00ff]*)$/i;
const parameter = /^; *(name|filename|filename\*)=(?:"([^"\\]*)"|([^\s"\\;]+)) */i;

/** The name in the head of a part. Both forms of a file's name may be there, but only one name of the field. */
function fieldOf(head: string): string {
  const lines = head.split(lineEnd).map((line) => headLine.exec(line) ?? malformed('a header of a part is malformed'));
  const dispositions = lines.filter(([, name]) => name?.toLowerCase() === 'content-disposition');
  const [, , value = ''] = dispositions[0] ?? [];
  const [form = ''] = /^form-data */i.exec(value) ?? [];
  if (dispositions.length !== 1 || form === '') return malformed('each part needs one content-disposition: form-data');
  const names: string[] = [];
  for (let rest = value.slice(form.length); rest !== '';) {
    const [found, kind = '', quoted, plain = ''] =
      parameter.exec(rest) ?? malformed('a content-disposition is malformed');
    if (kind.toLowerCase() === 'name') names.push(quoted ?? plain);
    rest = rest.slice(found.length);
  }
  return names.length === 1 ? (names[0] as string) : malformed('each part needs one name');
}

function malformed(problem: string): never {
  return throwHttpError(400, `the multipart body is malformed: ${problem}`, { close: true });
}
