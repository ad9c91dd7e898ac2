// A reporter for Node's test runner: one line of JSON for each test that has ended, and a last line when all have. If the
// last line is missing, the process ended before its tests.

import { resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

export interface TestResult {
  /** The file that defines the test, as an absolute path. */
  readonly file: string | undefined;
  readonly name: string;
  /** A suite has a result only if it failed, for example in a hook, and is not counted. */
  readonly type: 'test' | 'suite';
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'todo';
  readonly error?: string;
}

export const lastLine = 'end';

type ResultData = Extract<TestEvent, { type: 'test:fail' | 'test:pass' }>['data'];

// oxlint-disable-next-line import/no-default-export -- Node's test runner uses the default export
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const result = toResult(event);
    if (result !== undefined) yield `${JSON.stringify(result)}\n`;
  }
  yield `${lastLine}\n`;
}

function toResult({ type, data }: TestEvent): TestResult | undefined {
  if (type === 'test:diagnostic') return lateFailure(data.message);
  if (type !== 'test:pass' && type !== 'test:fail') return undefined;
  if (data.details.type === 'suite') return type === 'test:fail' ? failure(data, 'suite') : undefined;
  return testResult(data, type === 'test:pass');
}

/** Node reports an error after the end of a test only as a text. */
function lateFailure(message: string): TestResult | undefined {
  const [, name, file] =
    /^Error: Test "(.*)" at (.+):\d+:\d+ generated asynchronous activity after/.exec(message) ?? [];
  if (name === undefined || file === undefined) return undefined;
  return { file: resolve(file), name, type: 'test', outcome: 'failed', error: message };
}

function testResult(data: ResultData, isPass: boolean): TestResult {
  const { file, name, skip, todo } = data;
  if (isSet(skip)) return { file, name, type: 'test', outcome: 'skipped' };
  if (isSet(todo)) return { file, name, type: 'test', outcome: 'todo' };
  return isPass ? { file, name, type: 'test', outcome: 'passed' } : failure(data, 'test');
}

function failure({ file, name, details }: ResultData, type: TestResult['type']): TestResult {
  const error = messageOf('error' in details ? details.error : undefined);
  return { file, name, type, outcome: 'failed', error };
}

/** Both are texts or `true`, and absent or `false` otherwise. */
function isSet(mark: string | boolean | undefined): boolean {
  return mark !== undefined && mark !== false;
}

function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}
