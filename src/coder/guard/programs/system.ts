// Programs that change disks, power, users or services: judged by name, except when they only display information.

import { emptyField, literalOf, shownOf, type ShellField } from '../field.ts';
import { judgeAction } from '../action.ts';
import { Options } from '../options.ts';
import type { Judge } from '../judge-context.ts';
import type { FindingClass } from '../verdict.ts';

interface SystemProgram {
  readonly names: string;
  readonly class: FindingClass;
  readonly does: string;
  readonly verdict?: 'ask' | 'refuse';
  /** Arguments with which it only displays information. */
  readonly unless?: RegExp;
  /** Arguments without which it is harmless. */
  readonly when?: RegExp;
}

const help = /^(--help|--version)$/;

const rows: readonly SystemProgram[] = [
  {
    names:
      'mkfs mke2fs mkswap mkntfs mkdosfs mkreiserfs mkudffs mkisofs-device newfs newfs_apfs newfs_hfs wipefs blkdiscard badblocks mkfs.ext4 dropdb-cluster',
    class: 'filesystem',
    does: 'makes or destroys a filesystem',
    unless: help,
  },
  {
    names: 'fdisk gdisk sgdisk cfdisk sfdisk parted partx cgdisk testdisk partprobe fixparts',
    class: 'filesystem',
    does: 'changes the partitions of a disk',
    unless: /^(-l|--list|-p|--print|print|-h|--help|--version|-V)$/,
  },
  {
    names: 'zpool zfs',
    class: 'filesystem',
    does: 'changes a storage pool',
    unless: /^(list|status|get|iostat|history|--help|version)$/,
  },
  {
    names: 'btrfs',
    class: 'filesystem',
    does: 'changes a filesystem',
    when: /^(delete|remove|format|replace|restore|rescue|check)$/,
  },
  {
    names:
      'lvremove vgremove pvremove lvreduce pvcreate vgcreate mdadm cryptsetup dmsetup losetup tune2fs resize2fs debugfs xfs_repair e2fsck fsck hdparm sdparm nvme flashrom efibootmgr grub-install update-grub diskutil multipath',
    class: 'filesystem',
    does: 'changes disks',
    unless: /^(--help|--version|-h|-V|list|info|status|--detail|-I|smart-log|id-ctrl|-a|-l)$/,
  },
  {
    names: 'mount umount pivot_root switch_root swapoff swapon',
    class: 'system-change',
    does: 'changes what is mounted',
    verdict: 'ask',
    when: /./,
  },
  {
    names: 'shutdown reboot halt poweroff telinit init pm-suspend pm-hibernate',
    class: 'power',
    does: 'stops the machine',
    unless: help,
  },
  {
    names: 'systemctl',
    class: 'power',
    does: 'stops the machine or its services',
    when: /^(poweroff|reboot|halt|kexec|suspend|hibernate|rescue|emergency|isolate|exit)$/,
  },
  {
    names: 'systemctl service rc-service launchctl',
    class: 'system-change',
    does: 'changes services',
    verdict: 'ask',
    when: /^(start|stop|restart|reload|enable|disable|mask|unmask|kill|edit|set-default|daemon-reload|link|load|unload|bootstrap|bootout|submit)$/,
  },
  {
    names:
      'userdel useradd usermod groupdel groupadd passwd chpasswd visudo vipw adduser deluser gpasswd chsh chfn pwconv dpkg-reconfigure',
    class: 'system-change',
    does: 'changes users',
    unless: help,
  },
  { names: 'insmod rmmod modprobe kexec depmod', class: 'system-change', does: 'changes the kernel', unless: help },
  { names: 'sysctl', class: 'system-change', does: 'changes the kernel', verdict: 'ask', when: /^-w$|=|^--write$|^-p/ },
  {
    names: 'iptables ip6tables nft ufw firewall-cmd pfctl',
    class: 'system-change',
    does: 'changes the firewall',
    verdict: 'ask',
    unless: /^(-L|--list|-S|status|list)$/,
  },
  { names: 'at batch atrm anacron', class: 'hidden-execution', does: 'runs something later', unless: /^-[lV]$/ },
  { names: 'killall5', class: 'power', does: 'ends every process' },
  {
    names: 'security keyctl secret-tool pass op bw',
    class: 'secrets',
    does: 'reads stored secrets',
    verdict: 'ask',
    unless: help,
  },
  { names: 'dropdb', class: 'deletion', does: 'deletes a database', verdict: 'ask' },
  {
    names: 'terraform tofu pulumi',
    class: 'deletion',
    does: 'destroys infrastructure',
    verdict: 'ask',
    when: /^(destroy|-destroy|apply)$/,
  },
  {
    names: 'kubectl oc',
    class: 'deletion',
    does: 'deletes resources',
    verdict: 'ask',
    when: /^(delete|drain|exec|cp|port-forward)$/,
  },
  {
    names: 'aws gcloud az gsutil',
    class: 'network',
    does: 'changes cloud resources',
    verdict: 'ask',
    when: /^(rm|rb|delete|terminate|cp|sync|mv|print-access-token|get-session-token|get-login-password)$|^(delete|terminate|remove)-|^get-secret-value$/,
  },
  {
    names: 'redis-cli',
    class: 'deletion',
    does: 'empties a database',
    verdict: 'ask',
    when: /^(flushall|flushdb|shutdown)$/i,
  },
  {
    names: 'npm pnpm yarn',
    class: 'network',
    does: 'changes a published package',
    verdict: 'ask',
    when: /^(publish|unpublish|deprecate|dist-tag|owner|token|login|adduser)$/,
  },
  {
    names: 'cargo gem twine',
    class: 'network',
    does: 'changes a published package',
    verdict: 'ask',
    when: /^(publish|yank|push|upload|owner)$/,
  },
  { names: 'gh glab', class: 'secrets', does: 'prints a token', verdict: 'ask', when: /^token$|^--show-token$/ },
  {
    names: 'gh glab',
    class: 'deletion',
    does: 'deletes or changes something on the server',
    verdict: 'ask',
    when: /^(delete|archive|DELETE|secret|alias|extension|ssh-key|gpg-key|merge)$/,
  },
  { names: 'hg', class: 'forced-push', does: 'pushes by force', when: /^(-f|--force|strip)$/ },
  {
    names: 'svn',
    class: 'forced-push',
    does: 'removes from the server',
    verdict: 'ask',
    when: /^(delete|rm|del|remove)$/,
  },
];

function judgeRow({ class: findingClass, does, verdict = 'refuse', unless, when }: SystemProgram): Judge {
  return ({ name, args }, context) => {
    const shown = args.map(shownOf);
    if (unless !== undefined && shown.some((argument) => unless.test(argument))) return;
    if (when !== undefined && !shown.some((argument) => when.test(argument))) return;
    context.report(verdict, findingClass, `${[name, ...shown].join(' ').slice(0, 80)}: ${does}`);
  };
}

/** A negative number is a process group; -1 is every process. */
const kill: Judge = ({ args }, context) => {
  const shown = args.map(shownOf);
  const isSignal = (index: number): boolean => index === 0 || shown[index - 1] === '-s' || shown[index - 1] === '-n';
  const targets = shown.filter(
    (argument, index) =>
      argument !== '--' &&
      (/^\d+$|^-1$/.test(argument) ? !(isSignal(index) && shown.length > 1 && argument.startsWith('-')) : false),
  );
  if (targets.includes('-1') || targets.includes('1'))
    context.report('refuse', 'power', 'kill: ends every process, or the first one');
  if (
    args.some((each) =>
      each.some((piece) => piece.kind === 'unknown' && piece.origin === 'wild' && piece.name !== undefined),
    )
  )
    return;
};

/** `pgrep` only lists processes, but the list is often passed to kill. */
const killByName: Judge = ({ name, args }, context) => {
  const options = new Options(args, {
    short: 'ugGtPsoy',
    long: ['--signal', '--user', '--euid', '--group', '--parent'],
  });
  const isEverything = options.operands.some((each) => /^(\.|\.\*|\.\+|\^|\$|\*|)$/.test(literalOf(each) ?? 'x'));
  const isByUser = options.has('-u', '-U', '--user', '--euid') && options.operands.length === 0;
  if (!isEverything && !isByUser) return;
  if (name === 'pgrep') context.report('ask', 'power', 'pgrep: lists every process');
  else context.report('refuse', 'power', `${name}: ends every process`);
};

const schedule: Judge = ({ args }, context) => {
  const options = new Options(args, { short: 'u' });
  if (options.has('-l') && !options.has('-r')) return;
  if (options.has('-r')) context.report('refuse', 'deletion', 'crontab -r: deletes every scheduled command');
  const [file] = options.operands;
  const content: ShellField | undefined =
    literalOf(file ?? emptyField) === '-' || file === undefined ? context.input : undefined;
  const finding = content === undefined ? undefined : context.findingOf(shownOf(content));
  if (finding?.verdict === 'refuse') context.report('refuse', finding.class, `crontab: ${finding.reason}`);
  context.report('ask', 'settings', 'crontab: schedules commands');
  if (file !== undefined) judgeAction('read', file, context);
};

function merged(): Record<string, Judge> {
  const judges: Record<string, Judge> = {};
  for (const row of rows) {
    for (const name of row.names.split(' ')) {
      const before = judges[name];
      const judge = judgeRow(row);
      judges[name] =
        before === undefined ? judge : (call, context) => void [before(call, context), judge(call, context)];
    }
  }
  return judges;
}

export const systemPrograms: Readonly<Record<string, Judge>> = {
  ...merged(),
  kill,
  pkill: killByName,
  killall: killByName,
  pgrep: killByName,
  crontab: schedule,
};
