// `simple-agents chat`: a conversation at the terminal, or piped in line by line.

import type { Command } from 'commander';
import type { ChatFlags } from '../chat/chat.ts';
import { addGenerationOptions } from '../../flags.ts';
import type { Run } from '../../invocation.ts';

export function registerChat(program: Command, run: Run): void {
  addGenerationOptions(program.command('chat').description('chat with a model'))
    .option('--no-history', 'neither load nor save the input history')
    .option('-q, --quiet', 'print no greeting, token counts or notes')
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

In the chat, /help lists the commands, Ctrl-C stops a response, and Ctrl-D exits. A backslash at the end of a line
continues the message, and pasted lines are one message. With piped input, each line is one message, and only
responses go to stdout.`;
