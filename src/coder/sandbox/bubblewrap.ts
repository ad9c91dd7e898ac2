// The bubblewrap arguments for a layout. Pure: the layout already holds everything read from the disk.
// Invariants: everything starts read-only; the network is available only if the policy allows it; later mounts cover earlier
// ones, so hidden and protected paths come after writable ones.

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
    ...ownEntries.flatMap(hideReadOnly),
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
  // Otherwise a command could inject input into the agent's terminal (TIOCSTI).
  '--new-session',
  '--cap-drop',
  'ALL',
  '--hostname',
  'sandbox',
];

/** The system read-only, with separate devices and processes. */
export const systemMounts: readonly string[] = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'];

/** Sockets work on read-only mounts too, so the folders that contain them are mounted empty. */
const baseMounts: readonly string[] = [
  ...systemMounts,
  // If the agent runs as root, these would be writable.
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

/** After all writable mounts, because the workspace may be the home folder itself. */
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
    // Another process may delete it before bubblewrap mounts it.
    case 'read-if-there':
      return ['--ro-bind-try', path, path];
    // Mounted empty and read-only, so that the command cannot create it.
    case 'absent':
      return ['--tmpfs', path, '--remount-ro', path];
  }
}

/** Mounted empty and read-only: files written there would be lost with the sandbox. */
function hideReadOnly(entry: DiskEntry): string[] {
  return entry.kind === 'folder' ? [...hide(entry), '--remount-ro', entry.path] : hide(entry);
}
