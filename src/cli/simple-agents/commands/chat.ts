// `simple-agents chat`: a conversation, at the terminal or piped in line by line.

import type { Command } from 'commander';
import type { ChatFlags } from '../chat/chat.ts';
import { addGenerationOptions } from '../../flags.ts';
import type { Run } from '../../invocation.ts';

export function registerChat(program: Command, run: Run): void {
  addGenerationOptions(program.command('chat').description('talk with a model'))
    .option('--no-history', 'keep no record of what is typed')
    .option('-q, --quiet', 'no greeting, no token counts, no notes')
    .addHelpText('after', examples)
    .action((flags: ChatFlags) =>
      run(async (invocation) => {
        const { chat } = await import('../chat/chat.ts');
        return chat(flags, invocation);
      }),
    );
}

const examples = `
Examples:
  simple-agents chat
  simple-agents chat -m anthropic --system "You are a helpful assistant"
  printf 'Hello\\nCount to 5\\n' | simple-agents chat

Inside: /help lists the commands, Ctrl-C stops an answer, Ctrl-D leaves. A backslash at the end of a line
continues it, and pasted lines are one message. Piped in, each line is one turn, and only answers go to stdout.`;
