// Claude Code as a client for tests. It is not a dependency: it is installed next to the checkout when a test first needs
// it, because it is larger than everything else here.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { Part } from './requirement.ts';

const agent = '@anthropic-ai/claude-code@2.1.325';
const folder = join(import.meta.dirname, '../../.setup/agent-cli');

export const agentCommand = join(folder, 'node_modules', '.bin', 'claude');

/** Installs it unless it is there. */
export function agentPart(): Part {
  const remedy = `run npm install --prefix ${folder} ${agent}`;
  if (!existsSync(agentCommand)) {
    spawnSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', agent], {
      stdio: 'ignore',
      timeout: 180_000,
    });
  }
  return { name: agent, isPresent: existsSync(agentCommand), remedy };
}
