// docker and podman: what of this machine a container is given.

import { shownOf, textField, type Field } from '../field.ts';
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

const container: Judge = ({ name, args }, scene) => {
  const shown = args.map(shownOf);
  const place = shown.findIndex((each) => /^(run|create|exec)$/.test(each));
  if (/^(prune)$/.test(shown[1] ?? '') || shown.some((each) => each === 'prune'))
    scene.report('ask', 'deletion', `${name} prune: deletes images, containers or volumes`);
  if (place === -1) return;
  const given = new Options(args.slice(place + 1), options);
  for (const volume of [...given.valuesOf('-v', '--volume'), ...given.valuesOf('--mount').flatMap(sourceOf)])
    judgeVolume(volume, name, scene);
  if (
    given.has('--privileged') ||
    given
      .valuesOf('--pid', '--ipc', '--uts', '--cap-add', '--device', '--security-opt')
      .some((each) => /host|SYS_|ALL|\/dev|unconfined/.test(shownOf(each)))
  ) {
    scene.report('ask', 'system-change', `${name}: gives a container rights over this machine`);
  }
  const finding = scene.findingOf(given.operands.slice(1));
  if (finding?.verdict === 'refuse' && finding.class === 'deletion')
    scene.report('refuse', finding.class, `${name}: ${finding.reason}`);
};

function sourceOf(mount: Field): Field[] {
  const [, source] = /(?:source|src)=([^,]+)/.exec(shownOf(mount)) ?? [];
  return source === undefined ? [] : [textField(source)];
}

function judgeVolume(volume: Field, name: string, scene: JudgeContext): void {
  const shown = shownOf(volume);
  const source = shown.split(':')[0] ?? '';
  if (source.endsWith('docker.sock'))
    return scene.report('ask', 'system-change', `${name}: hands over the control of all containers`);
  if (!/^[/~.]/.test(source) || (source !== '/' && source === scene.shell.surroundings.cwd)) return;
  const kind = scene.placeOf(textField(source));
  if (kind === 'root') scene.report('refuse', 'deletion', `${name} ${shown}: hands the whole system to a container`);
  else if (dangerous.includes(kind) && !/:ro\b/.test(shown))
    scene.report('ask', 'system-change', `${name} ${shown}: hands a part of the system to a container`);
}

export const containerPrograms: Readonly<Record<string, Judge>> = {
  docker: container,
  podman: container,
  nerdctl: container,
};
