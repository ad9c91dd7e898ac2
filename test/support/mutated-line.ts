// Damages a line of JSON: a member is missing or has another type, or the text is cut. The same for the same seed.

/** A linear congruential generator, so that a failure can be repeated. */
export function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % limit;
  };
}

const values = [null, 1, -1, 'x', '', [], {}, true, [null], [[]], { type: 'text' }];

/** Removes or replaces a member somewhere in the line, or damages its text. */
export function mutate(sample: object, random: (limit: number) => number): string {
  const text = JSON.stringify(sample);
  if (random(4) === 0) return text.slice(0, random(text.length)) + text.slice(random(text.length));
  let holder = JSON.parse(text) as Record<string, unknown>;
  const root = holder;
  for (;;) {
    const names = Object.keys(holder);
    const name = names[random(Math.max(1, names.length))];
    if (name === undefined) break;
    const inner = holder[name];
    if (typeof inner === 'object' && inner !== null && random(3) > 0) {
      holder = inner as Record<string, unknown>;
      continue;
    }
    if (random(2) === 0) Reflect.deleteProperty(holder, name);
    else holder[name] = values[random(values.length)];
    break;
  }
  return JSON.stringify(root);
}
