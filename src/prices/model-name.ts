// The many ways one model is written: `claude-sonnet-4-5-20250929`, `anthropic/claude-sonnet-4.5`,
// `us.anthropic.claude-sonnet-4-5-20250929-v1:0`. Knows how names are made, not which models there are.

/** One spelling: capitals, the dot of a version and the folders some vendors list their models in do not count. */
export function canonicalName(model: string): string {
  return model
    .trim()
    .toLowerCase()
    .replace(/^(models\/|accounts\/[^/]+\/models\/|publishers\/[^/]+\/models\/)/, '')
    .replaceAll(/(?<=\d)[.p](?=\d)/g, '-');
}

/** What a model may be listed as, the most particular name first. */
export function namesOf(model: string): string[] {
  const whole = canonicalName(model);
  const names = new Set<string>();
  for (const name of [whole, ...withoutPrefixes(whole)]) {
    names.add(name);
    const plain = withoutVersion(name);
    names.add(plain);
    names.add(`${plain}-latest`);
  }
  return [...names];
}

/** Who the name says made the model: `anthropic` of `us.anthropic.claude-…` and of `openrouter/anthropic/claude-…`. */
export function makersOf(model: string): string[] {
  const [, region] = regional.exec(canonicalName(model)) ?? [];
  return [...canonicalName(model).split('/').slice(0, -1), ...(region === undefined ? [] : [region])];
}

/** As in Amazon Bedrock: where it runs, if that matters, who made it, what it is called. */
const regional = /^(?:[a-z-]+\.)?([a-z][a-z0-9-]*)\.(?=[a-z])/;

function withoutPrefixes(name: string): string[] {
  const segments = name.split('/');
  const shorter = segments.slice(1).map((_segment, index) => segments.slice(index + 1).join('/'));
  return regional.test(name) ? [...shorter, name.replace(regional, '')] : shorter;
}

/** Without the day it was made and the words that say no more than "the newest". */
function withoutVersion(name: string): string {
  return name
    .replace(/-v\d+(:\d+\w*)?$/, '')
    .replace(/[@-](\d{8}|\d{4}-\d{2}-\d{2}|latest|default)$/, '')
    .replace(/-00\d$/, '');
}
