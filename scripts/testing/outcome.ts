// What a test run reports at its end. A file that fails is run once more, alone. If it fails again, the run fails. If it
// passes, it is unsteady: its result depended on other files, on the machine or on chance.

import { resolve } from 'node:path';
import type { BatchResult } from './batch.ts';
import type { TestResult } from './reporter.ts';

/** A run with more unsteady failures fails. */
export const mostUnsteady = 3;

export interface Failure {
  readonly batch: BatchResult;
  /** The file that failed, or all files of the process if it is unknown which one made it fail. */
  readonly files: readonly string[];
  readonly error: string;
}

export interface Repetition {
  readonly failure: Failure;
  /** One run for each file. */
  readonly runs: readonly BatchResult[];
}

export function failuresOf(batch: BatchResult, root: string): Failure[] {
  if (batch.isPass) return [];
  const failed = batch.results.filter(({ outcome }) => outcome === 'failed');
  const failuresIn = (file: string): TestResult[] => failed.filter((result) => result.file === resolve(root, file));
  const files = batch.files.filter((file) => failuresIn(file).length > 0);
  const isKnown = batch.isComplete && files.length > 0 && files.flatMap(failuresIn).length === failed.length;
  if (!isKnown) return [{ batch, files: batch.files, error: processFailure(batch, failed[0]) }];
  return files.map((file) => ({ batch, files: [file], error: errorText(failuresIn(file)[0]) }));
}

export function isUnsteady({ runs }: Repetition): boolean {
  return runs.every(({ isPass }) => isPass);
}

/** The last line is `N passed, N failed, N skipped`. A repeated file counts as in its second run. */
export function summarize(batches: readonly BatchResult[], repetitions: readonly Repetition[], root: string): string {
  const again = repetitions.flatMap(({ runs }) => runs);
  const final = [...batches.map((batch) => withoutRepeated(batch, repetitions, root)), ...again];
  const parts = [
    ...final.filter(({ isPass }) => !isPass).map(failingTests),
    unsteadyList(repetitions.filter(isUnsteady)),
    leftRunningList([...batches, ...again]),
    counts(final),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function withoutRepeated(batch: BatchResult, repetitions: readonly Repetition[], root: string): BatchResult {
  const own = repetitions.filter(({ failure }) => failure.batch === batch);
  if (own.length === 0) return batch;
  const files = new Set(own.flatMap(({ failure }) => failure.files.map((file) => resolve(root, file))));
  const isEveryFile = files.size === batch.files.length;
  const results = isEveryFile ? [] : batch.results.filter(({ file }) => file === undefined || !files.has(file));
  return { ...batch, results, isPass: results.every(({ outcome }) => outcome !== 'failed') };
}

function failingTests({ output, files, isComplete }: BatchResult): string {
  const start = Math.max(output.indexOf('✖ failing tests:'), output.indexOf('Interrupted while running:'));
  const section = start === -1 ? output : output.slice(start);
  return isComplete ? section : `Ended before its tests: ${files.join(' ')}\n${section}`;
}

function unsteadyList(repetitions: readonly Repetition[]): string {
  if (repetitions.length === 0) return '';
  const entries = repetitions.map(({ failure }) => {
    const [file, ...others] = failure.files;
    const name = others.length === 0 ? file : `one of ${failure.files.join(' ')}`;
    return `  ${name}\n${indent(failure.error)}\n`;
  });
  const limit = `more than ${mostUnsteady} fail the run`;
  return `Unsteady: ${repetitions.length} failed and then passed alone (${limit}).\n${entries.join('')}`;
}

function leftRunningList(batches: readonly BatchResult[]): string {
  const commands = batches.flatMap(({ leftRunning }) => leftRunning);
  if (commands.length === 0) return '';
  return `Processes that tests left running, now killed:\n${commands.map((command) => `  ${command}\n`).join('')}`;
}

function counts(batches: readonly BatchResult[]): string {
  const count = (outcome: TestResult['outcome']): number =>
    batches.reduce((sum, { results }) => sum + results.filter((result) => isTest(result, outcome)).length, 0);
  // A process can fail without a failed test.
  const processes = batches.filter(({ isPass, results }) => {
    return !isPass && !results.some((result) => isTest(result, 'failed'));
  });
  return `${count('passed')} passed, ${count('failed') + processes.length} failed, ${count('skipped')} skipped\n`;
}

function isTest({ type, outcome }: TestResult, expected: TestResult['outcome']): boolean {
  return type === 'test' && outcome === expected;
}

function processFailure({ isComplete }: BatchResult, first: TestResult | undefined): string {
  if (!isComplete) return 'the process ended before its tests';
  return first === undefined ? 'the process failed, but no test' : errorText(first);
}

const mostLines = 12;

function errorText(result: TestResult | undefined): string {
  const { name = '', error = '' } = result ?? {};
  return `${name}\n${error}`.split('\n').slice(0, mostLines).join('\n');
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ');
}
