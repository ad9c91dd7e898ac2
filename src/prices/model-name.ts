// Normalises the spellings of a model's name: `claude-sonnet-4-5-20250929`, `anthropic/claude-sonnet-4.5`,
// `us.anthropic.claude-sonnet-4-5-20250929-v1:0`. Knows how names are formed, not which models exist.

/** Ignores capitals, the dot of a version, and the folders in which some vendors list their models. */
export function canonicalName(model: string): string {
  return model
    .trim()
    .toLowerCase()
    .replace(/^(models\/|accounts\/[^/]+\/models\/|publishers\/[^/]+\/models\/)/, '')
    .replaceAll(/(?<=\d)[.p](?=\d)/g, '-');
}

/** The names under which a model may be listed, the most specific first. */
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

/** The vendors in a name: `anthropic` in `us.anthropic.claude-…` and in `openrouter/anthropic/claude-…`. */
export function makersOf(model: string): string[] {
  const [, region] = regional.exec(canonicalName(model)) ?? [];
  return [...canonicalName(model).split('/').slice(0, -1), ...(region === undefined ? [] : [region])];
}

/** A name as in Amazon Bedrock: an optional region, the vendor, the model. */
const regional = /^(?:[a-z-]+\.)?([a-z][a-z0-9-]*)\.(?=[a-z])/;

function withoutPrefixes(name: string): string[] {
  const segments = name.split('/');
  const shorter = segments.slice(1).map((_segment, index) => segments.slice(index + 1).join('/'));
  return regional.test(name) ? [...shorter, name.replace(regional, '')] : shorter;
}

/** Removes release dates, and suffixes that mean "the newest". */
function withoutVersion(name: string): string {
  return name
    .replace(/-v\d+(:\d+\w*)?$/, '')
    .replace(/[@-](\d{8}|\d{4}-\d{2}-\d{2}|latest|default)$/, '')
    .replace(/-00\d$/, '');
}
