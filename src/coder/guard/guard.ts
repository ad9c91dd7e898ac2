// The guard: says of a shell command whether it may run, should be asked about, or is refused. It parses and reads; it
// executes nothing, opens no file, and never throws. A courtesy to the user, not a boundary: that is the sandbox.

import { judgeCommand, isProgram } from './judge.ts';
import { Shell, type GuardFolders } from './shell.ts';
import type { Judgement } from './verdict.ts';
import { Walker, type Tools } from './walker.ts';

export interface Guard {
  judge(command: string): Judgement;
}

/** The parser is loaded here, for most programs never need it. */
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
