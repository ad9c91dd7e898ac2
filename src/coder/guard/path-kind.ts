// Classifies an argument as a path: the root, a home folder, a device, the workspace and so on. It reads no file: only links
// that the command itself created are followed. If several interpretations are possible, the worst one counts.

import { shownOf, type ShellField, type FieldPiece } from './field.ts';
import { systemDepth, secretPaths, harmlessDevices, protectedPaths, temporaryFolders } from './path-table.ts';
import type { Shell } from './shell.ts';

/**
 * `ancestor`: a folder that contains the workspace. `settings`: a dot file in a home folder. `inside`: in the workspace.
 * `protected`: in the workspace, but executed or used as settings later. `stream`: /dev/null and similar devices. `maybe`: a
 * variable that the command does not set. `anywhere`: unknown.
 */
export type PathKind =
  | 'root'
  | 'system'
  | 'home'
  | 'device'
  | 'ancestor'
  | 'secret'
  | 'settings'
  | 'socket'
  | 'workspace'
  | 'protected'
  | 'outside'
  | 'anywhere'
  | 'maybe'
  | 'temporary'
  | 'temporary-root'
  | 'stream'
  | 'inside';

const gravity: readonly PathKind[] = [
  'inside',
  'stream',
  'temporary',
  'maybe',
  'outside',
  'anywhere',
  'workspace',
  'temporary-root',
  'protected',
  'settings',
  'socket',
  'ancestor',
  'secret',
  'home',
  'system',
  'device',
  'root',
];

/** Placeholders in a path for pieces that are not text. */
const star = '\u{E000}';
const one = '\u{E001}';
const environment = '\u{E002}';
const tame = '\u{E003}';
const wild = '\u{E004}';

export function pathKindOf(field: ShellField, shell: Shell): PathKind {
  if (field.length === 0) return 'inside';
  const readings = [false, true].map((isEmpty) => kindOfPath(encode(field, isEmpty), shell));
  return readings.reduce((worst, kind) => (gravity.indexOf(kind) > gravity.indexOf(worst) ? kind : worst));
}

/** The absolute path, if it is completely known. */
export function pathOf(field: ShellField, shell: Shell): string | undefined {
  if (field.some(({ kind }) => kind !== 'text')) return undefined;
  const absolute = toAbsolute(shownOf(field), shell);
  return /[\u{E000}-\u{E004}]/u.test(absolute) ? undefined : throughLinks(normalise(absolute), shell.links);
}

function encode(field: ShellField, isEmpty: boolean): string {
  return field.map((piece) => encodePiece(piece, isEmpty)).join('');
}

function encodePiece(piece: FieldPiece, isEmpty: boolean): string {
  if (piece.kind === 'text') return piece.text;
  if (piece.kind === 'glob') return /^[*!+@?]\(?/.test(piece.text) && piece.text !== '?' ? star : one;
  if (piece.origin === 'number') return '0';
  if (piece.origin === 'tame') return tame;
  if (piece.origin !== 'environment') return wild;
  return isEmpty && piece.isFilled !== true ? '' : environment;
}

function toAbsolute(path: string, shell: Shell): string {
  return path.startsWith('/') || /^[\u{E002}-\u{E004}]/u.test(path) ? path : `${encode(shell.cwd, false)}/${path}`;
}

function kindOfPath(path: string, shell: Shell): PathKind {
  if (path === '') return 'maybe';
  const absolute = toAbsolute(path, shell);
  if (absolute.includes(wild)) return 'anywhere';
  if (absolute.startsWith(tame)) return absolute.includes('..') ? 'outside' : 'inside';
  if (absolute.startsWith(environment)) return 'maybe';
  return classify(throughLinks(normalise(absolute), shell.links), shell);
}

export function normalise(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/** A few steps only, because links may be circular. */
function throughLinks(path: string, links: ReadonlyMap<string, string>): string {
  let current = path;
  for (let step = 0; step < 4; step += 1) {
    const link = Array.from(links.keys()).find((name) => current === name || current.startsWith(`${name}/`));
    if (link === undefined) return current;
    current = normalise(`${links.get(link)}/${current.slice(link.length)}`);
  }
  return current;
}

function classify(path: string, shell: Shell): PathKind {
  const { cwd: workspace, home } = shell.folders;
  const segments = path.split('/').slice(1);
  const depth = workspace.split('/').filter(Boolean).length;
  const isSafe = workspace !== '/' && workspace !== home && systemKind(workspace.split('/').slice(1)) === undefined;
  const isInside = path === workspace || path.startsWith(workspace === '/' ? '/' : `${workspace}/`);
  if (path === '/') return 'root';
  if (isSafe && isInside) return inWorkspace(segments.slice(depth));
  if (path.startsWith('/dev/') || path === '/dev') return deviceKind(segments);
  if (temporaryFolders.includes(path)) return 'temporary-root';
  const homeKind = inHome(segments, home);
  if (homeKind === 'home') return 'home';
  // In a workspace that is a home folder or the root, not everything may be changed.
  if (isInside && systemKind(segments) === undefined && !isPattern(segments[0] ?? ''))
    return inWorkspace(segments.slice(depth));
  return (
    elsewhere(path, homeKind) ??
    (isSafe && workspace.startsWith(`${path}/`) ? 'ancestor' : (systemKind(segments) ?? 'outside'))
  );
}

function elsewhere(path: string, homeKind: PathKind | undefined): PathKind | undefined {
  const [first = ''] = path.split('/').slice(1);
  if (secretPaths.some((pattern) => pattern.test(path))) return 'secret';
  if (homeKind !== undefined) return homeKind;
  const temporary = temporaryFolders.find((folder) => path.startsWith(`${folder}/`));
  if (temporary !== undefined) return isEverything(path.slice(temporary.length + 1)) ? 'outside' : 'temporary';
  if (isPattern(first)) return first.startsWith('tmp') ? 'outside' : 'root';
  return undefined;
}

function isPattern(text: string): boolean {
  return /[\u{E000}\u{E001}]/u.test(text);
}

/** Nothing but patterns: `*`, `.*`, `?*`. */
function isEverything(segment: string): boolean {
  return /^\.?[\u{E000}\u{E001}]*[\u{E000}][\u{E000}\u{E001}]*$/u.test(segment);
}

function inWorkspace(segments: readonly string[]): PathKind {
  if (segments.length === 0 || (segments.length === 1 && isEverything(segments[0] ?? ''))) return 'workspace';
  const path = segments.join('/');
  if (secretPaths.some((pattern) => pattern.test(`/${path}`))) return 'secret';
  return protectedPaths.some((pattern) => pattern.test(path)) ? 'protected' : 'inside';
}

function deviceKind([, name = '', ...rest]: readonly string[]): PathKind {
  if (name === 'tcp' || name === 'udp') return 'socket';
  if (name === 'shm' && rest.length > 0) return 'temporary';
  return harmlessDevices.has(name) ? 'stream' : 'device';
}

function inHome(segments: readonly string[], home: string): PathKind | undefined {
  const homes = [home.split('/').slice(1), ['home', star], ['Users', star], ['root']];
  for (const folder of homes) {
    const isIn = folder.every((part, index) => index >= segments.length || part === star || segments[index] === part);
    if (!isIn) continue;
    const rest = segments.slice(folder.length);
    const first = rest[0] ?? '';
    if (rest.length === 0 || (rest.length === 1 && isEverything(first))) return 'home';
    return first.startsWith('.') || isPattern(first) ? 'settings' : 'outside';
  }
  return undefined;
}

function systemKind(segments: readonly string[]): 'system' | undefined {
  for (let length = Math.min(segments.length, 2); length > 0; length -= 1) {
    const depth = systemDepth[segments.slice(0, length).join('/')];
    if (depth === undefined) continue;
    const isAll = segments.length === depth + 1 && isPattern(segments.at(-1) ?? '');
    return segments.length <= depth || isAll ? 'system' : undefined;
  }
  return undefined;
}
