// Network programs: what is uploaded, to which address, and where a download is saved.

import { judgeAction } from '../action.ts';
import { emptyField, originOf, shownOf, prefixOf, withoutPrefix, type ShellField, type Unknown } from '../field.ts';
import { Options } from '../options.ts';
import { pathOf } from '../path-kind.ts';
import type { Judge, JudgeContext } from '../judge-context.ts';
import { judgeHelper } from './files.ts';

const downloaded: Unknown = { kind: 'unknown', origin: 'network' };

const local =
  /^(https?:\/\/)?([^@/]*@)?(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0|host\.docker\.internal|[\w-]+\.localhost)(:|\/|$|…|\$)/i;

const dataOptions = [
  '-d',
  '--data',
  '--data-raw',
  '--data-binary',
  '--data-ascii',
  '--data-urlencode',
  '--json',
  '-F',
  '--form',
  '--form-string',
];
const fileOptions = ['-T', '--upload-file', '--post-file', '--body-file'];

const grammar = {
  short: 'dFTHXoOuAebcmxKwrCDEUYyzQt',
  long: [
    ...dataOptions.filter((name) => name.startsWith('--')),
    ...fileOptions.filter((name) => name.startsWith('--')),
    '--header',
    '--request',
    '--output',
    '--output-document',
    '--user',
    '--config',
    '--url',
    '--cookie',
    '--cookie-jar',
    '--max-time',
    '--connect-timeout',
    '--retry',
    '--retry-delay',
    '--proxy',
    '--user-agent',
    '--referer',
    '--write-out',
    '--post-data',
    '--output-dir',
    '--directory-prefix',
    '--resolve',
    '--cacert',
    '--unix-socket',
    '--use-askpass',
    '--dump-header',
    '--trace',
    '--trace-ascii',
    '--stderr',
    '--execute',
  ],
};

const fetch: Judge = ({ name, args }, context) => {
  // `-O` takes no value in curl and the file in wget.
  const short = name === 'curl' ? grammar.short.replace('O', '') : grammar.short.replace(/[drcFTCYyzw]/g, '') + 'P';
  const options = new Options(args, { ...grammar, short });
  const addresses = [...options.operands, ...options.valuesOf('--url')];
  const isLocal = addresses.length > 0 && addresses.every((each) => local.test(shownOf(each)));
  const files = [...options.valuesOf(...fileOptions)];
  const data = options.valuesOf(...(name === 'curl' ? dataOptions : ['--post-data', '--body-data']));
  for (const each of [...files, ...data.flatMap(filesIn)]) judgeAction('read', each, context);
  const isUpload = files.length > 0 || data.some((each) => filesIn(each).length > 0 || isRevealing(each));
  const isRevealed = [...addresses, ...options.valuesOf('-H', '--header', '-u', '--user', '-b', '--cookie')].some(
    isRevealing,
  );
  if (!isLocal && (isUpload || isRevealed))
    context.report('ask', 'network', `${name}: uploads data to ${shownOf(addresses[0] ?? emptyField)}`);
  if (options.valuesOf('-K', '--config', '--execute', '--use-askpass').length > 0)
    context.report('ask', 'hidden-execution', `${name}: reads its options from a file`);
  saveTo(
    options.valuesOf(
      ...(name === 'curl'
        ? ['-o', '--output', '-D', '--dump-header', '-c', '--cookie-jar', '--trace', '--trace-ascii', '--stderr']
        : ['-O', '--output-document', '-o', '-a']),
    ),
    context,
  );
  saveTo(options.valuesOf('--output-dir', '-P', '--directory-prefix'), context);
  return [downloaded];
};

/** Output of a program may contain anything; variables and numbers are usual in addresses. */
function isRevealing(field: ShellField): boolean {
  const origin = originOf(field);
  return origin !== undefined && origin !== 'environment' && origin !== 'number';
}

function filesIn(data: ShellField): ShellField[] {
  const shown = prefixOf(data);
  if (shown.startsWith('@')) return [withoutPrefix(data, 1)];
  const [named = ''] = /^\w*=?[@<]/.exec(shown) ?? [];
  return named === '' ? [] : [withoutPrefix(data, named.length)];
}

function saveTo(targets: readonly ShellField[], context: JudgeContext): void {
  for (const target of targets) {
    if (shownOf(target) === '-') continue;
    judgeAction('write', target, context);
    const path = pathOf(target, context.shell);
    if (path !== undefined) context.shell.files.set(path, [downloaded]);
  }
}

/** Programs that connect to another machine: the user decides. */
const connect: Judge = ({ name, args }, context) => {
  const options = new Options(args, { short: 'oFeiplLRDwcSb', long: ['--exec', '--sh-exec'] });
  for (const option of options.valuesOf('-o')) {
    const equals = prefixOf(option).search(/[= ]/);
    if (equals !== -1 && /command|include/i.test(prefixOf(option).slice(0, equals)))
      judgeHelper(withoutPrefix(option, equals + 1), name, context);
  }
  for (const code of options.valuesOf('-e', '-c', '--exec', '--sh-exec')) judgeHelper(code, name, context);
  for (const operand of options.operands) {
    const finding = context.findingOf(shownOf(operand));
    if (/\s/.test(shownOf(operand)) && finding?.verdict === 'refuse')
      context.report('refuse', finding.class, `${name}: ${finding.reason}`);
  }
  const finding = context.findingOf(options.operands.slice(1));
  if (finding?.verdict === 'refuse' && finding.class !== 'unknown-code')
    context.report('refuse', finding.class, `${name}: ${finding.reason}`);
  // Checking for an open port on this machine is harmless.
  const isProbe =
    /^(nc|ncat|netcat)$/.test(name) &&
    options.has('-z') &&
    /^(localhost|127\.0\.0\.1|::1)$/.test(shownOf(options.operands[0] ?? []));
  if (!isProbe && !options.has('-V', '--version', '--help'))
    context.report('ask', 'network', `${name}: connects to another machine`);
  return [downloaded];
};

/** A DNS lookup can leak data in the name. */
const lookUp: Judge = ({ name, args }, context) => {
  if (args.some(isRevealing)) context.report('ask', 'network', `${name}: looks up a name built from data`);
};

export const networkPrograms: Readonly<Record<string, Judge>> = {
  curl: fetch,
  wget: fetch,
  ...Object.fromEntries(
    'ssh scp sftp ftp nc ncat netcat socat telnet rsh mosh tftp lftp sshfs rclone croc ngrok cloudflared mail sendmail mutt'
      .split(' ')
      .map((name) => [name, connect]),
  ),
  ...Object.fromEntries(
    'dig nslookup host getent ping ping6 traceroute whois resolvectl drill'.split(' ').map((name) => [name, lookUp]),
  ),
};
