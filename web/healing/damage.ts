// "Damage it": the simulated model answers the question with the schema, and its answer is damaged in the chosen way. Runs
// in the page.

import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import { damageDocument, damageNames, damageOf, styles, type DamageName } from '../../src/testing/damage/damage.ts';
import { phases, type DamagePhase } from '../../src/testing/damage/damage-definition.ts';
import { SimulatedModel } from '../../src/testing/model/model.ts';
import { createRandom } from '../../src/testing/model/random.ts';

export type { DamageName };

const phaseTitles: Readonly<Record<DamagePhase, string>> = {
  shape: 'Wrong shape',
  root: 'Wrong root',
  notation: 'Foreign notation',
  place: 'A mistake in one place',
  brackets: 'Brackets',
  cut: 'Cut off',
  program: 'Program around it',
  fence: 'Code fence',
  prose: 'Prose around it',
  thought: 'Reasoning',
  encoding: 'Encoding',
};

export interface DamageGroup {
  readonly title: string;
  readonly names: readonly DamageName[];
}

export const damageGroups: readonly DamageGroup[] = phases.map((phase) => ({
  title: phaseTitles[phase],
  names: damageNames.filter((name) => damageOf(name).phase === phase),
}));

export interface DamageRequest {
  readonly schema: JsonObject;
  readonly question: string;
  readonly damage: DamageName;
  /** Another number gives other damage. */
  readonly round: number;
}

/** Undefined if this damage cannot be done to this answer. */
export function damagedAnswer({ schema, question, damage, round }: DamageRequest): string | undefined {
  const value = simulatedAnswer(schema, question);
  for (let attempt = 0; attempt < 20; attempt++) {
    const random = createRandom(`${damage} ${round} ${attempt}`);
    const style = random.pick(styles);
    const damaged = damageDocument([damage], { value, schema }, { style, random });
    if (damaged !== undefined) return damaged.text;
  }
  return undefined;
}

function simulatedAnswer(schema: JsonObject, question: string): JsonValue {
  const { events } = new SimulatedModel().respond(
    {
      model: 'simulated',
      messages: [{ role: 'user', content: [{ type: 'text', text: question }] }],
      responseFormat: { type: 'json-schema', schema },
    },
    { origin: { wire: 'simulated', provider: 'simulated' } },
  );
  return JSON.parse(events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')) as JsonValue;
}
