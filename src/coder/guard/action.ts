// The table from an action and a kind of path to a verdict. Every program that accesses files is judged by it.

import { originOf, shownOf, type ShellField } from './field.ts';
import type { PathKind } from './path-kind.ts';
import type { JudgeContext } from './judge-context.ts';
import type { FindingClass, GuardVerdict } from './verdict.ts';

export type Action = 'delete' | 'remove' | 'write' | 'mode' | 'move' | 'read';

interface ActionRule {
  readonly class: FindingClass;
  readonly verb: string;
  readonly refuse: readonly PathKind[];
  readonly ask: readonly PathKind[];
}

const vital: readonly PathKind[] = ['root', 'system', 'home', 'device', 'ancestor', 'temporary-root'];

const rules: Readonly<Record<Action, ActionRule>> = {
  delete: {
    class: 'deletion',
    verb: 'deletes everything in',
    refuse: [...vital, 'secret', 'anywhere'],
    ask: ['workspace', 'protected', 'settings', 'outside', 'maybe', 'socket'],
  },
  remove: {
    class: 'deletion',
    verb: 'deletes',
    refuse: vital,
    ask: ['workspace', 'protected', 'secret', 'settings', 'outside', 'socket'],
  },
  write: {
    class: 'outside-write',
    verb: 'writes to',
    refuse: ['root', 'system', 'device', 'secret'],
    ask: ['home', 'ancestor', 'settings', 'socket', 'protected', 'outside', 'anywhere'],
  },
  mode: {
    class: 'permissions',
    verb: 'changes the permissions or the owner of',
    refuse: vital,
    ask: ['secret', 'settings', 'outside', 'anywhere', 'protected', 'socket'],
  },
  move: {
    class: 'deletion',
    verb: 'moves away',
    refuse: vital,
    ask: ['workspace', 'protected', 'secret', 'settings', 'outside', 'socket'],
  },
  read: { class: 'secrets', verb: 'reads', refuse: [], ask: ['secret', 'socket'] },
};

const kindNames: Readonly<Record<PathKind, string>> = {
  root: 'the root of the file system',
  system: 'a system folder',
  home: 'a home folder',
  device: 'a device',
  ancestor: 'a folder that contains the workspace',
  secret: 'a location of secrets',
  settings: 'settings in a home folder',
  socket: 'a network connection',
  workspace: 'the whole workspace',
  protected: 'a file that is executed or used as settings later',
  outside: 'a path outside the workspace',
  anywhere: 'an unknown location',
  maybe: 'a location that depends on a variable',
  temporary: 'a temporary location',
  'temporary-root': 'the folder of all temporary files',
  stream: 'a stream',
  inside: 'the workspace',
};

export function judgeAction(action: Action, field: ShellField, context: JudgeContext): void {
  const kind = context.kindOf(field);
  const rule = rules[action];
  const verdict = verdictOf(rule, kind);
  if (verdict === 'allow') return;
  const isEmptiable = originOf(field) === 'environment' && verdict === 'refuse';
  const hint = isEmptiable ? ' if the variable is empty; ${NAME:?} makes that an error' : '';
  const findingClass = kind === 'device' && action === 'write' ? 'device-write' : classOf(rule, kind);
  context.report(verdict, findingClass, `${shownOf(field)}: ${rule.verb} ${kindNames[kind]}${hint}`);
}

function classOf(rule: ActionRule, kind: PathKind): FindingClass {
  if (kind === 'socket') return 'network';
  if (kind === 'protected' || kind === 'settings') return 'settings';
  return kind === 'system' && rule.class === 'outside-write' ? 'system-change' : rule.class;
}

function verdictOf(rule: ActionRule, kind: PathKind): GuardVerdict {
  if (rule.refuse.includes(kind)) return 'refuse';
  return rule.ask.includes(kind) ? 'ask' : 'allow';
}
