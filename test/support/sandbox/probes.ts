// Sandbox escapes, each with a harmless command of the same kind that must work. Both are shell scripts that succeed if
// they do what they try. Data for sandbox.test.ts, which sets the variables: OUTSIDE (a folder next to the workspace),
// WORKSPACE, HOST_PID, TCP_PORT, ABSTRACT, CANARY_FILE (in the real /tmp), NODE.

export interface Probe {
  readonly name: string;
  readonly escape: string;
  readonly twin: string;
}

type Row = readonly [name: string, escape: string, twin: string];

const writes: readonly Row[] = [
  ['a new file outside', 'echo x > "$OUTSIDE/new"', 'echo x > new'],
  ['appending outside', 'echo x >> "$OUTSIDE/secret.txt"', 'echo x >> file.txt'],
  ['deleting outside', 'rm "$OUTSIDE/secret.txt"', 'touch a && rm a'],
  ['deleting a folder outside', 'rm -r "$OUTSIDE/folder"', 'mkdir b && rm -r b'],
  ['moving in from outside', 'mv "$OUTSIDE/secret.txt" .', 'touch c && mv c d'],
  ['moving out', 'touch e && mv e "$OUTSIDE/e"', 'touch f && mv f src/f'],
  ['a folder outside', 'mkdir "$OUTSIDE/made"', 'mkdir -p src/made'],
  ['permissions outside', 'chmod 777 "$OUTSIDE/secret.txt"', 'chmod 755 file.txt'],
  ['times outside', 'touch "$OUTSIDE/secret.txt"', 'touch file.txt'],
  ['truncating outside', 'truncate -s 0 "$OUTSIDE/secret.txt"', 'touch g && truncate -s 1 g'],
  ['a link outside', 'ln -s x "$OUTSIDE/link"', 'ln -s x link'],
  ['by way of ..', 'echo x > ../outside/new', 'echo x > src/../new2'],
  ['by way of a link that was there', 'echo x > out/new', 'echo x > in/new'],
  ['by way of a new link', 'ln -sfn "$OUTSIDE" way && echo x > way/new', 'ln -sfn src way2 && echo x > way2/new'],
  ['by way of a hard link', 'ln "$OUTSIDE/secret.txt" hard && echo x >> hard', 'ln file.txt hard2'],
  ['by way of /proc/self/root', 'echo x > "/proc/self/root$OUTSIDE/new"', 'echo x > "/proc/self/cwd/new3"'],
  ['by way of /proc/1/root', 'echo x > "/proc/1/root$OUTSIDE/new"', 'test -d /proc/1'],
  ['by way of /proc/1/cwd', 'echo x > /proc/1/cwd/../outside/new', 'test -d /proc/self/cwd'],
  ['/etc', 'touch /etc/escaped', 'touch /tmp/escaped'],
  ['/usr', 'touch /usr/bin/escaped', 'ls /usr/bin > /dev/null'],
  ['the root', 'touch /escaped', 'ls / > /dev/null'],
  ['/var', 'touch /var/lib/escaped', 'touch /var/tmp/escaped'],
  ['/opt', 'mkdir /opt/escaped', 'ls /opt > /dev/null'],
  ['/sys', 'touch /sys/escaped', 'ls /sys > /dev/null'],
  ['the home', 'echo x > "$HOME/new"', 'cat "$HOME/visible.txt"'],
  ['start-up files', 'echo x >> "$HOME/.bashrc"', 'cat "$HOME/.bashrc" > /dev/null'],
  ['the workspace under another name', 'mv "$WORKSPACE" "$WORKSPACE.old"', 'mkdir h && mv h i'],
];

const settings: readonly Row[] = [
  ['a git hook', 'echo x > .git/hooks/pre-commit', 'echo x > .git/objects/x'],
  ['an existing git hook', 'echo x >> .git/hooks/pre-push', 'cat .git/hooks/pre-push'],
  ['permissions of a git hook', 'chmod +x .git/hooks/pre-push', 'touch .git/objects/x && chmod 644 .git/objects/x'],
  ['git settings', 'echo x >> .git/config', 'echo "ref: refs/heads/main" > .git/HEAD'],
  ['git settings by renaming', 'cp .git/config k && mv k .git/config', 'cp .git/HEAD l && mv l .git/HEAD'],
  ['git settings by deleting', 'rm -f .git/config', 'touch .git/m && rm -f .git/m'],
  ['git hooks by deleting', 'rm -rf .git/hooks && test ! -e .git/hooks', 'mkdir .git/n && rm -rf .git/n'],
  ['git hooks by renaming', 'mv .git/hooks .git/hooks2', 'mkdir .git/o && mv .git/o .git/p'],
  ['git hooks by a link', 'ln -sfn /tmp .git/hooks/x', 'ln -sfn /tmp .git/q'],
  ['the whole of .git by renaming', 'mv .git git2', 'mkdir r && mv r s'],
  ['the whole of .git by deleting', 'rm -rf .git; test ! -e .git', 'mkdir t && rm -rf t && test ! -e t'],
  ['the agent settings', 'echo x >> .forgeflare/hooks.toml', 'cat .forgeflare/hooks.toml'],
  ['new agent settings', 'echo x > .forgeflare/new', 'ls .forgeflare'],
  ['agent settings by renaming', 'mv .forgeflare u', 'mkdir v && mv v w'],
  ['agent settings by unmounting', 'umount .forgeflare', 'test -d .forgeflare'],
  ['deleting sessions', 'rm -r .entire/metadata', 'touch .entire/a && rm .entire/a'],
  ['moving the folder above sessions', 'mv .entire moved', 'mkdir n && mv n o'],
  ['moving sessions', 'mv .entire/metadata moved', 'cat .entire/settings.json'],
  ['reading a session', 'grep -rl topsecret .entire', 'grep -r enabled .entire'],
  ['planting a session', 'mkdir .entire/metadata/planted', 'mkdir .entire/other'],
  ['sessions by unmounting', 'umount .entire/metadata', 'test -d .entire/metadata'],
  ['reading what hooks record', 'grep -r topsecret .forgeflare', 'test -f .forgeflare/hooks.toml'],
  ['changing what hooks record', 'echo x > .forgeflare/audit.jsonl', 'ls .forgeflare'],
  ['deleting the folder above sessions', 'rm -r .entire', 'mkdir m && rm -r m'],
  ['settings of another agent', 'echo x > .claude/settings.json', 'cat .claude/settings.json'],
  ['a list of servers', 'echo x > .mcp.json', 'cat .mcp.json'],
];

const secrets: readonly Row[] = [
  ['a private key', 'grep topsecre[t] "$HOME/.ssh/id_rsa"', 'cat "$HOME/visible.txt"'],
  ['the folder of keys', 'ls "$HOME/.ssh" | grep .', 'ls "$HOME" | grep visible'],
  ['cloud credentials', 'grep topsecre[t] "$HOME/.aws/credentials"', 'ls "$HOME"'],
  ['passwords of programs', 'grep topsecre[t] "$HOME/.netrc"', 'head -c 1 "$HOME/visible.txt"'],
  ['a token of npm', 'grep topsecre[t] "$HOME/.npmrc"', 'tail -n 1 "$HOME/visible.txt"'],
  [
    'a key by way of /proc',
    'grep topsecre[t] "/proc/self/root$HOME/.ssh/id_rsa"',
    'cat "/proc/self/root$HOME/visible.txt"',
  ],
  ['a key by unmounting', 'umount "$HOME/.ssh" && grep topsecre[t] "$HOME/.ssh/id_rsa"', 'test -d "$HOME/.ssh"'],
  ['passwords of the system', 'grep . /etc/shadow', 'grep root /etc/passwd'],
  ['the environment', 'env | grep topsecre[t]', 'env | grep PATH'],
  [
    'the environment of the first process',
    'tr "\\0" "\\n" < /proc/1/environ | grep topsecre[t]',
    'tr "\\0" "\\n" < /proc/1/environ | grep PATH',
  ],
  [
    'the environment of any process',
    'cat /proc/[0-9]*/environ | grep -a topsecre[t]',
    'cat /proc/self/environ | grep -a PATH',
  ],
  [
    'the command line of any process',
    'cat /proc/[0-9]*/cmdline | grep -a topsecre[t]',
    'cat /proc/self/cmdline > /dev/null',
  ],
  ['files of others in /tmp', 'cat "$CANARY_FILE"', 'echo x > /tmp/mine && cat /tmp/mine'],
  ['sockets in /run', 'find /run -type s | grep .', 'ls /run'],
  ['shared memory', 'ls /dev/shm | grep .', 'touch /dev/shm/x'],
];

const node = (code: string): string => `"$NODE" -e '${code}'`;
const connecting = (target: string): string =>
  node(
    `const s=require("net").connect(${target});s.on("connect",()=>process.exit(0));s.on("error",()=>process.exit(1));setTimeout(()=>process.exit(1),2000)`,
  );
const listening = (target: string): string =>
  node(
    `const s=require("net").createServer(c=>c.end());s.listen(${target},()=>{const c=require("net").connect(s.address().port??s.address(),()=>process.exit(0));c.on("error",()=>process.exit(1))})`,
  );

const network: readonly Row[] = [
  ['a server on loopback', connecting('{port:+process.env.TCP_PORT,host:"127.0.0.1"}'), listening('0')],
  [
    'a server on loopback by name',
    connecting('{port:+process.env.TCP_PORT,host:"localhost"}'),
    listening('{port:0,host:"127.0.0.1"}'),
  ],
  ['/dev/tcp', 'exec 3<>"/dev/tcp/127.0.0.1/$TCP_PORT"', 'exec 3<>file.txt'],
  ['an abstract socket', connecting('{path:"\\u0000"+process.env.ABSTRACT}'), listening('{path:"./own.sock"}')],
  ['an address outside', connecting('{port:80,host:"192.0.2.1"}'), listening('{port:0}')],
  [
    'sending a datagram',
    node('const s=require("dgram").createSocket("udp4");s.send("x",53,"192.0.2.1",e=>process.exit(e?1:0))'),
    node('const s=require("dgram").createSocket("udp4");s.bind(0,"127.0.0.1",()=>process.exit(0))'),
  ],
  [
    'another interface',
    'ls /sys/class/net-of-the-host 2>/dev/null || tail -n +3 /proc/net/dev | grep -v "lo:" | grep .',
    'grep "lo:" /proc/net/dev',
  ],
];

const kernel: readonly Row[] = [
  ['mounting a filesystem', 'mkdir -p m1 && mount -t tmpfs none m1', 'mkdir -p m1'],
  ['a bind mount', 'mkdir -p m2 && mount --bind "$OUTSIDE" m2', 'mkdir -p m2'],
  ['remounting the root', 'mount -o remount,rw /', 'grep " / " /proc/self/mounts'],
  ['remounting what is protected', 'mount -o remount,rw,bind .git/config', 'grep config /proc/self/mounts'],
  ['unmounting', 'umount /proc', 'ls /proc > /dev/null'],
  ['a user namespace', 'unshare --user --map-root-user true', 'id -u'],
  ['a mount namespace', 'unshare --mount true', 'true'],
  ['entering the namespace of the first process', 'nsenter --target 1 --mount true', 'ls /proc/1/ns > /dev/null'],
  ['another root', 'chroot / true', 'cd /'],
  ['a device node', 'mknod node b 8 0', 'mkfifo fifo'],
  [
    'a disk',
    'ls /dev/sd* /dev/vd* /dev/nvme* /dev/mmcblk* /dev/dm-* /dev/loop* 2>/dev/null | grep .',
    'head -c 1 /dev/zero > /dev/null',
  ],
  [
    'memory',
    'head -c 1 /dev/mem || head -c 1 /dev/kmem || head -c 1 /proc/kcore',
    'head -c 1 /dev/urandom > /dev/null',
  ],
  ['the log of the kernel', 'head -c 1 /dev/kmsg', 'cat /proc/version'],
  [
    'settings of the kernel',
    'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern',
    'cat /proc/sys/kernel/core_pattern',
  ],
  ['keys of the kernel', 'echo h > /proc/sysrq-trigger', 'cat /proc/uptime'],
  ['capabilities', '! grep -E "^CapEff:.*0000000000000000$" /proc/self/status', 'grep CapEff /proc/self/status'],
  ['new rights of programs', '! grep -E "^NoNewPrivs:\\s1$" /proc/self/status', 'grep NoNewPrivs /proc/self/status'],
  ['a higher priority', 'renice -n -10 $$', 'renice -n 10 $$'],
  ['the clock', 'date -s "$(date)"', 'date'],
  ['the name of the machine', 'hostname other && test "$(hostname)" = other', 'hostname || uname -n'],
  ['processes of the host', 'test -e "/proc/$HOST_PID/status"', 'test -e /proc/$$/status'],
  ['ending a process of the host', 'kill -0 "$HOST_PID"', 'sleep 5 & kill $!'],
  ['memory of a process of the host', 'head -c 1 "/proc/$HOST_PID/mem"', 'test -e /proc/$$/mem'],
  ['the terminal of the agent', 'exec 3<>/dev/tty', 'exec 3</dev/null'],
  ['typing into a terminal', '"$NODE" -e \'process.exit(require("tty").isatty(0)?0:1)\'', '"$NODE" -e 0'],
];

const toProbe = ([name, escape, twin]: Row): Probe => ({ name, escape, twin });

export const probes: readonly Probe[] = [...writes, ...settings, ...secrets, ...network, ...kernel].map(toProbe);
