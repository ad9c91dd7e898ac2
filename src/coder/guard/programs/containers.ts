// docker and podman: which parts of this machine a container can access.

import { shownOf, textField, type ShellField } from '../field.ts';
import { Options } from '../options.ts';
import type { Judge, JudgeContext } from '../judge-context.ts';

const options = {
  short: 'vwepnulhmcaf',
  long: '--volume --mount --workdir --env --env-file --publish --name --user --label --hostname --memory --cpus --network --net --entrypoint --pid --ipc --uts --device --cap-add --security-opt --platform --restart --add-host --log-driver --ulimit --shm-size --tmpfs --gpus'.split(
    ' ',
  ),
  stopsAtOperand: true,
};

const dangerous = ['root', 'system', 'home', 'device', 'secret', 'ancestor'];

const container: Judge = ({ name, args }, context) => {
  const shown = args.map(shownOf);
  const place = shown.findIndex((each) => /^(run|create|exec)$/.test(each));
  if (/^(prune)$/.test(shown[1] ?? '') || shown.some((each) => each === 'prune'))
    context.report('ask', 'deletion', `${name} prune: deletes images, containers or volumes`);
  if (place === -1) return;
  const given = new Options(args.slice(place + 1), options);
  for (const volume of [...given.valuesOf('-v', '--volume'), ...given.valuesOf('--mount').flatMap(sourceOf)])
    judgeVolume(volume, name, context);
  if (
    given.has('--privileged') ||
    given
      .valuesOf('--pid', '--ipc', '--uts', '--cap-add', '--device', '--security-opt')
      .some((each) => /host|SYS_|ALL|\/dev|unconfined/.test(shownOf(each)))
  ) {
    context.report('ask', 'system-change', `${name}: gives a container rights over this machine`);
  }
  const finding = context.findingOf(given.operands.slice(1));
  if (finding?.verdict === 'refuse' && finding.class === 'deletion')
    context.report('refuse', finding.class, `${name}: ${finding.reason}`);
};

function sourceOf(mount: ShellField): ShellField[] {
  const [, source] = /(?:source|src)=([^,]+)/.exec(shownOf(mount)) ?? [];
  return source === undefined ? [] : [textField(source)];
}

function judgeVolume(volume: ShellField, name: string, context: JudgeContext): void {
  const shown = shownOf(volume);
  const source = shown.split(':')[0] ?? '';
  if (source.endsWith('docker.sock'))
    return context.report('ask', 'system-change', `${name}: gives access to all containers`);
  if (!/^[/~.]/.test(source) || (source !== '/' && source === context.shell.folders.cwd)) return;
  const kind = context.kindOf(textField(source));
  if (kind === 'root') context.report('refuse', 'deletion', `${name} ${shown}: gives a container the complete system`);
  else if (dangerous.includes(kind) && !/:ro\b/.test(shown))
    context.report('ask', 'system-change', `${name} ${shown}: gives a container a part of the system`);
}

export const containerPrograms: Readonly<Record<string, Judge>> = {
  docker: container,
  podman: container,
  nerdctl: container,
};
