// Forms that pass, however they are cut, and those that are refused before the field in question has passed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HttpError } from '../http/http-error.ts';
import { boundaryOf, guardForm } from './form-guard.ts';

const boundary = 'XyZ';
const part = (disposition: string, content = 'content', more = ''): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`;
const end = `--${boundary}--\r\n`;

const whole =
  part('name="model"', 'whisper-1') +
  part('name="file"; filename="a ü.wav"', 'RIFF\r\n\r\n--Xy\r\n-', 'Content-Type: audio/wav\r\n') +
  part("name=language; filename=x; filename*=utf-8''x", '') +
  end;

class Refused extends Error {}

async function pass(form: string | Buffer, size = Infinity): Promise<string> {
  const bytes = Buffer.from(form as string, 'utf8');
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const passed: Uint8Array[] = [];
  const guarded = guardForm(chunks(), boundary, (field) => {
    throw new Refused(`${field} after ${Buffer.concat(passed).toString()}`);
  });
  for await (const chunk of guarded) passed.push(chunk);
  return Buffer.concat(passed).toString('utf8');
}

describe('a form', () => {
  test('passes unchanged, however it is cut', async () => {
    assert.equal(await pass(whole), whole);
    for (let size = 1; size <= whole.length; size++) assert.equal(await pass(whole, size), whole, String(size));
  });

  test('is refused before a reference has passed', async () => {
    for (const name of ['"file_id"', '"file_ids[]"', 'file_id', '"voice[id]"']) {
      const before = part('name="model"', 'whisper-1');
      for (const size of [1, 7, Infinity]) {
        const passing = pass(`${before}${part(`name=${name}`, 'file-secret')}${end}`, size);
        await assert.rejects(passing, (error) => error instanceof Refused && !error.message.includes('file-secret'));
      }
    }
  });
});

describe('a form that could be read in two ways is refused', () => {
  const hidden = 'Content-Disposition: form-data; name="file_id"\r\n\r\nfile-1\r\n';
  const odd: Readonly<Record<string, string>> = {
    'text before the first boundary': `text\r\n${whole}`,
    'bytes after the end': `${whole}--${boundary}\r\n${hidden}`,
    'no end': part('name="a"'),
    'nothing': '',
    'a boundary after a bare line feed': part('name="a"', `x\n--${boundary}\n${hidden}`) + end,
    'a longer boundary': part('name="a"', `x\r\n--${boundary}Q\r\n${hidden}`) + end,
    'a boundary with padding': `--${boundary} \r\n${hidden}${end}`,
    'two names': part('name="a"; name="file_id"') + end,
    'an escaped quote': part(String.raw`name="a"; filename="\"; name=file_id; b=""`) + end,
    'an encoded name': part("name*=utf-8''file_id") + end,
    'another parameter': part('name="a"; x="y"') + end,
    'no name': part('filename="a"') + end,
    'no disposition': `--${boundary}\r\nContent-Type: text/plain\r\n\r\nx\r\n${end}`,
    'two dispositions': part('name="a"', 'x', 'content-disposition: form-data; name="file_id"\r\n') + end,
    'a continued header': part('name="a"', 'x', 'X-A: b\r\n name="file_id"\r\n') + end,
    'a bare line feed in a header': part('name="a"\nContent-Disposition: form-data; name="file_id"') + end,
    'an endless header': part('name="a"', 'x', `X-A: ${'b'.repeat(9000)}\r\n`) + end,
  };
  for (const [what, form] of Object.entries(odd)) {
    test(what, async () => {
      for (const size of [1, 64, Infinity])
        await assert.rejects(pass(form, size), (error) => error instanceof HttpError && error.status === 400);
    });
  }
});

test('the boundary is read from a plain content type only', () => {
  assert.equal(boundaryOf('multipart/form-data; boundary=XyZ'), 'XyZ');
  assert.equal(boundaryOf('Multipart/Form-Data;boundary="a b"'), 'a b');
  for (const type of [
    undefined,
    'text/plain',
    'multipart/mixed; boundary=a',
    'multipart/form-data; boundary=a; boundary=b',
  ])
    assert.equal(boundaryOf(type), undefined);
});
