// hooks.toml: valid content, and every mistake with its line and fix.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SimpleAgentsError } from '../../core/error.ts';
import { parseHooks } from './table.ts';

const shown = '.forgeflare/hooks.toml';

test('a table with every key, and with as few as may be', async () => {
  const hooks = await parseHooks(
    `
[[hooks]]
event = "PreToolUse"
command = "./guard.sh --strict"
match_tool = "Bash"
phase = "guard"
timeout_ms = 250

[[hooks]]
event = "PreToolUse"
phase = "observe"
command = '''
while read -r line; do
  echo "$line" >> audit.jsonl
done'''

[[hooks]]
event = "PreToolUse"
command = "a"

[[hooks]]
event = "PostToolUse"
command = "b"

[[hooks]]
event = "Stop"
command = "c"
`,
    shown,
  );
  assert.deepEqual(hooks, [
    { event: 'PreToolUse', command: './guard.sh --strict', matchTool: 'Bash', phase: 'guard', timeout: 250 },
    {
      event: 'PreToolUse',
      command: 'while read -r line; do\n  echo "$line" >> audit.jsonl\ndone',
      phase: 'observe',
      timeout: 5000,
    },
    { event: 'PreToolUse', command: 'a', phase: 'guard', timeout: 5000 },
    { event: 'PostToolUse', command: 'b', phase: 'observe', timeout: 5000 },
    { event: 'Stop', command: 'c', phase: 'observe', timeout: 3000 },
  ]);
});

test('an empty file has no hooks', async () => {
  for (const text of ['', '\n# none yet\n', 'hooks = []']) assert.deepEqual(await parseHooks(text, shown), []);
});

describe('a mistake is refused, with its place', () => {
  const events = 'PreToolUse, PostToolUse, Stop';
  const wrong: readonly (readonly [text: string, message: string | RegExp])[] = [
    ['[[hooks]', /^\.forgeflare\/hooks\.toml:1:\d+: not valid TOML: /],
    ['[[hooks]]\nevent = "Stop\n', /^\.forgeflare\/hooks\.toml:2:\d+: not valid TOML: /],
    ['[[hooks]]\nevent = "Stop"\nevent = "Stop"\n', /^\.forgeflare\/hooks\.toml:3:\d+: not valid TOML: /],
    ['[[hooks]]\nevent = PreToolUse\n', /^\.forgeflare\/hooks\.toml:2:\d+: not valid TOML: /],
    ['{"hooks": []}', /not valid TOML: /],
    ['\n[hooks]\nevent = "Stop"\n', ':2: [[hooks]]: must be a list of tables; start each hook with [[hooks]]'],
    ['hooks = "guard.sh"', ':1: [[hooks]]: must be a list of tables; start each hook with [[hooks]]'],
    ['hooks = ["guard.sh"]', ':1: [[hooks]]: must be a list of tables; start each hook with [[hooks]]'],
    ['[[hook]]\nevent = "Stop"', ':1: hook: unknown key; did you mean "hooks"?'],
    ['event = "Stop"', ':1: event: unknown key; put the keys of a hook below [[hooks]]'],
    ['[[hooks]]\ncommand = "x"', `:1: [[hooks]] event: is missing; must be one of ${events}`],
    [
      '[[hooks]]\ncommand = "x"\nevent = "preToolUse"',
      `:3: [[hooks]] event: must be one of ${events}; did you mean "PreToolUse"?`,
    ],
    ['[[hooks]]\ncommand = "x"\nevent = 7', `:3: [[hooks]] event: must be one of ${events}`],
    [
      '[[hooks]]\nevent = "Stop"',
      ':1: [[hooks]] command: is missing; must be a non-empty string: the command that bash runs',
    ],
    [
      '[[hooks]]\nevent = "Stop"\ncommand = " "',
      ':3: [[hooks]] command: must be a non-empty string: the command that bash runs',
    ],
    [
      '[[hooks]]\nevent = "Stop"\ncommand = ["x"]',
      ':3: [[hooks]] command: must be a non-empty string: the command that bash runs',
    ],
    [
      '[[hooks]]\nevent = "Stop"\ncommand = "a\\u0000b"',
      ':3: [[hooks]] command: must be a non-empty string: the command that bash runs',
    ],
    [
      '[[hooks]]\nevent = "Stop"\ncommand = "x"\ntimeout = 5',
      ':4: [[hooks]] timeout: unknown key; did you mean "timeout_ms"?',
    ],
    [
      '[[hooks]]\nevent = "Stop"\ncommand = "x"\ncolour = 5',
      ':4: [[hooks]] colour: unknown key; the keys are event, command, match_tool, phase, timeout_ms',
    ],
    ...['0', '-5', '1.5', '"5s"', '600001', 'inf', 'true'].map(
      (value) =>
        [
          `[[hooks]]\nevent = "Stop"\ncommand = "x"\ntimeout_ms = ${value}`,
          ':4: [[hooks]] timeout_ms: must be a whole number of milliseconds from 1 to 600000',
        ] as const,
    ),
    [
      '[[hooks]]\nevent = "PreToolUse"\ncommand = "x"\nphase = "observer"',
      ':4: [[hooks]] phase: must be "guard" or "observe"; did you mean "observe"?',
    ],
    [
      '[[hooks]]\nevent = "PostToolUse"\ncommand = "x"\nphase = "guard"',
      ':4: [[hooks]] phase: a PostToolUse hook cannot block a call; remove the phase, or use event = "PreToolUse"',
    ],
    [
      '[[hooks]]\nevent = "Stop"\ncommand = "x"\nmatch_tool = "Bash"',
      ':4: [[hooks]] match_tool: does not apply to a Stop hook; remove it',
    ],
    [
      '[[hooks]]\nevent = "PreToolUse"\ncommand = "x"\nmatch_tool = ["Bash"]',
      ':4: [[hooks]] match_tool: must be a non-empty string: the exact name of a tool',
    ],
    ['[[hooks]]\nevent = "PreToolUse"\ncommand = "x"\nmatch_tool = ""', /match_tool: must be a non-empty string/],
  ];
  for (const [text, message] of wrong) {
    test(JSON.stringify(text), async () => {
      const expected = typeof message === 'string' ? `${shown}${message}` : message;
      await assert.rejects(parseHooks(text, shown), (error: unknown) => {
        assert.ok(error instanceof SimpleAgentsError);
        assert.equal(error.kind, 'configuration');
        if (typeof expected === 'string') assert.equal(error.message, expected);
        else assert.match(error.message, expected);
        return true;
      });
    });
  }

  test('and all of them at once', async () => {
    const text = '[[hooks]]\nevent = "Stop"\ncommand = "x"\n\n[[hooks]]\nevnt = "Stop"\ntimeout_ms = 0\n';
    await assert.rejects(parseHooks(text, shown), (error: Error) => {
      assert.deepEqual(
        error.message.split('\n').map((line) => /hooks\.toml:(\d+): (.*?): /.exec(line)?.slice(1).join(' ')),
        ['5 [[hooks]] event', '5 [[hooks]] command', '6 [[hooks]] evnt', '7 [[hooks]] timeout_ms'],
      );
      return true;
    });
  });
});
