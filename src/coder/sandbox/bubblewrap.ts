// The arguments of bubblewrap for a layout. Pure: what is on the disk was looked up before.
// Invariants: everything starts read-only; the network is there only when the policy says so; later mounts lie over
// earlier ones, so what is hidden or protected comes after what is opened.

import type { Mount } from './mounts.ts';
import type { DiskEntry, Layout } from './policy.ts';

export interface BubblewrapFeatures {
  /** `--disable-userns`, since 0.8. */
  readonly canDisableUserNamespaces: boolean;
}

export function toBubblewrapArguments(layout: Layout, { canDisableUserNamespaces }: BubblewrapFeatures): string[] {
  const { policy, writable, mounts, ownEntries } = layout;
  const hasNetwork = policy.allowsNetwork && policy.mode !== 'strict';
  return [
    ...isolation,
    ...(hasNetwork ? [] : ['--unshare-net']),
    ...(canDisableUserNamespaces ? ['--disable-userns'] : []),
    ...baseMounts,
    ...(hasNetwork ? resolverArguments : []),
    ...(isHomeHidden(layout) ? ['--tmpfs', policy.home] : []),
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...mounts.flatMap(toArguments),
    ...hiddenArguments(layout),
    ...ownEntries.flatMap(hideForGood),
    '--chdir',
    policy.workspace,
    '--',
  ];
}

const isolation: readonly string[] = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--die-with-parent',
  // Without it a command could type into the terminal of the agent (TIOCSTI).
  '--new-session',
  '--cap-drop',
  'ALL',
  '--hostname',
  'sandbox',
];

/** The system to look at, with devices and processes of its own. */
export const systemMounts: readonly string[] = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'];

/** Sockets answer on read-only mounts too, so the folders where they live are empty. */
const baseMounts: readonly string[] = [
  ...systemMounts,
  // When the agent runs as root, these would be writable by their owner: bubblewrap covers only folders that are.
  ...['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/acpi', '/proc/scsi'].flatMap(
    (path) => ['--ro-bind-try', path, path],
  ),
  ...['/tmp', '/run', '/dev/shm', '/var/tmp'].flatMap((path) => ['--tmpfs', path]),
  '--ro-bind-try',
  '/run/current-system',
  '/run/current-system',
];

/** /etc/resolv.conf is often a link to one of these. */
const resolverArguments = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager'].flatMap((path) => [
  '--ro-bind-try',
  path,
  path,
]);

function isHomeHidden({ policy: { mode, home }, writable }: Layout): boolean {
  return mode === 'strict' && home !== '/' && !writable.includes(home);
}

/** After everything that is mounted writable, because the workspace may be the home itself. */
function hiddenArguments(layout: Layout): string[] {
  const { policy, hiddenEntries } = layout;
  const isGone = ({ path }: DiskEntry): boolean => isHomeHidden(layout) && path.startsWith(`${policy.home}/`);
  return hiddenEntries.filter((entry) => !isGone(entry)).flatMap(hide);
}

function hide({ path, kind }: DiskEntry): string[] {
  return kind === 'folder' ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
}

function toArguments({ path, access }: Mount): string[] {
  switch (access) {
    case 'write':
      return ['--bind', path, path];
    case 'read':
      return ['--ro-bind', path, path];
    // Another process may delete it before bubblewrap looks.
    case 'read-if-there':
      return ['--ro-bind-try', path, path];
    // Put there empty and read-only, so that the command cannot be the one that makes it.
    case 'absent':
      return ['--tmpfs', path, '--remount-ro', path];
  }
}

/** Empty, and nothing can be put there: it would be lost with the sandbox. */
function hideForGood(entry: DiskEntry): string[] {
  return entry.kind === 'folder' ? [...hide(entry), '--remount-ro', entry.path] : hide(entry);
}
