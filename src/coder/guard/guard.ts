// The guard: judges whether a shell command may run, needs the user's permission, or is refused. It parses the command, but
// executes nothing, opens no file and never throws. It protects against mistakes; the security boundary is the sandbox.

import { judgeCommand, isProgram } from './judge.ts';
import { Shell, type GuardFolders } from './shell.ts';
import type { Judgement } from './verdict.ts';
import { Walker, type Tools } from './walker.ts';

export interface Guard {
  judge(command: string): Judgement;
}

/** Loads the parser on demand, because many runs never need it. */
export async function createGuard(folders: GuardFolders): Promise<Guard> {
  const { parse, forEachChild } = await import('unbash');
  const tools: Tools = { parse, forEachChild, judge: judgeCommand, isProgram };
  return { judge: (command) => judge(command, folders, tools) };
}

function judge(command: string, folders: GuardFolders, tools: Tools): Judgement {
  const walker = new Walker(tools);
  try {
    walker.read(command, { shell: new Shell(folders), input: undefined });
  } catch (error) {
    const reason = `the command cannot be judged: ${error instanceof Error ? error.message : String(error)}`;
    return { verdict: 'refuse', class: 'unparsed', reason };
  }
  return walker.findings.toJudgement();
}
