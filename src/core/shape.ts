// Checks values of callers at run time, for programs that no compiler checks. A shape returns the first mismatch with its
// position, or undefined. Shapes say what a type may contain, not what a provider accepts.

import { rejectField, type ErrorKind } from './error.ts';
import { isRecord } from './json.ts';
import { didYouMean } from './suggest.ts';

export interface Mismatch {
  /** `messages[0].role` */
  readonly path: string;
  readonly problem: string;
}

export type Shape = (value: unknown, path: string) => Mismatch | undefined;

/** Of a member that may be missing. */
export interface OptionalShape extends Shape {
  readonly isOptional: true;
}

/** A shape for each member of a type, so that the compiler reports a missing one. */
export type MemberShapes<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K> ? OptionalShape : Shape;
};

export interface CheckedValue {
  readonly kind: ErrorKind;
  /** The name of the argument. Without one, it is an object of options, and its members stand for themselves. */
  readonly name?: string;
}

/** Throws for the first mismatch. */
export function checkShape(shape: Shape, value: unknown, { kind, name = '' }: CheckedValue): void {
  const mismatch = shape(value, name);
  if (mismatch !== undefined) rejectField(kind, mismatch.path === '' ? 'options' : mismatch.path, mismatch.problem);
}

export function shapeOf(problem: string, isValid: (value: unknown) => boolean): Shape {
  return (value, path) => (isValid(value) ? undefined : { path, problem });
}

export const anyShape: Shape = () => undefined;
export const stringShape = shapeOf('must be a string', isString);
export const booleanShape = shapeOf('must be true or false', (value) => typeof value === 'boolean');
export const numberShape = shapeOf('must be a number', Number.isFinite);
export const integerShape = shapeOf('must be a whole number', Number.isSafeInteger);
export const countShape = shapeOf('must be a whole number greater than 0', (value) => isWhole(value) && value > 0);
export const wholeShape = shapeOf('must be a whole number, at least 0', (value) => isWhole(value) && value >= 0);
export const amountShape = shapeOf(
  'must be a number, at least 0',
  (value) => Number.isFinite(value) && Number(value) >= 0,
);
export const fractionShape = shapeOf('must be a number from 0 to 1', (value) => isFraction(value));
export const functionShape = shapeOf('must be a function', (value) => typeof value === 'function');
export const objectShape = shapeOf('must be an object', isRecord);
export const signalShape = shapeOf('must be an AbortSignal', (value) => value instanceof AbortSignal);

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isFraction(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

export function oneOf(...values: readonly string[]): Shape {
  return shapeOf(`must be one of ${values.join(', ')}`, (value) => values.includes(value as string));
}

export function optional(shape: Shape): OptionalShape {
  const check: Shape = (value, path) => (value === undefined ? undefined : shape(value, path));
  return Object.assign(check, { isOptional: true } as const);
}

export function listOf(item: Shape, problem = 'must be an array'): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return { path, problem };
    return first(value, (each, index) => item(each, `${path}[${index}]`));
  };
}

export function recordOf(item: Shape): Shape {
  return (value, path) => {
    if (!isRecord(value)) return { path, problem: 'must be an object' };
    return first(Object.entries(value), ([key, each]) => item(each, `${path}.${key}`));
  };
}

/** An object that may have further members, which are ignored. */
export function objectOf<T>(members: MemberShapes<T>): Shape {
  return membersOf(members);
}

function membersOf(members: Readonly<Record<string, Shape>>): Shape {
  const shapes = Object.entries(members);
  return (value, path) => {
    if (!isRecord(value)) return { path, problem: 'must be an object' };
    return first(shapes, ([key, shape]) => shape(value[key], joinPath(path, key)));
  };
}

/** An object in which a member that the type does not have is a mistake. */
export function closedObjectOf<T>(members: MemberShapes<T>): Shape {
  const known = objectOf(members);
  return (value, path) => findUnknown(value, Object.keys(members), path) ?? known(value, path);
}

/** The members by the value of one of them. */
export function variantOf<T extends { readonly [P in Tag]: string }, Tag extends string>(
  tag: Tag,
  variants: { readonly [K in T[Tag]]: MemberShapes<Omit<Extract<T, { readonly [P in Tag]: K }>, Tag>> },
): Shape {
  const entries = Object.entries<Readonly<Record<string, Shape>>>(variants);
  const shapes = new Map(entries.map(([name, members]) => [name, membersOf(members)]));
  const tagShape = oneOf(...shapes.keys());
  return (value, path) => {
    const name = isRecord(value) ? value[tag] : undefined;
    return tagShape(name, joinPath(path, tag)) ?? shapes.get(name as string)?.(value, path);
  };
}

/** A value of another kind than the shape's. */
export function orElse(isOther: (value: unknown) => boolean, shape: Shape): Shape {
  return (value, path) => (isOther(value) ? undefined : shape(value, path));
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function findUnknown(value: unknown, known: readonly string[], path: string): Mismatch | undefined {
  if (!isRecord(value)) return undefined;
  const name = Object.keys(value).find((key) => value[key] !== undefined && !known.includes(key));
  if (name === undefined) return undefined;
  return { path: joinPath(path, name), problem: `unknown name${didYouMean(name, known)}` };
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function first<T>(items: readonly T[], check: (item: T, index: number) => Mismatch | undefined): Mismatch | undefined {
  for (const [index, item] of items.entries()) {
    const mismatch = check(item, index);
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}
