// Checks patterns that come from outside, in time linear in the text: RE2 instead of RegExp. The engine is loaded when
// it is first needed; a server loads it when it starts.
// A pattern that RE2 cannot match with the same meaning, a long text, and whatever is left when the budget of a call is
// used up are not checked. Nothing is refused because of its pattern.

import type { PatternCompiler } from '../../heal/index.ts';
import { rewritePattern } from './pattern-syntax.ts';

/** Longer texts are not checked. */
const longestText = 64 * 1024;

/** Longer patterns, and larger ones with their repeats written out, are not checked. */
const longestPattern = 4096;
const mostInstructions = 2000;

/** What the patterns of one call may take: to compile an instruction costs so many steps, a step runs so many. */
const allowedSteps = 400_000;
const stepsToCompile = 100;
const instructionsPerStep = 25;

/** Makes the compiler for one call. */
export type LinearPatterns = () => PatternCompiler;

let loading: Promise<LinearPatterns> | undefined;

export function loadLinearPatterns(): Promise<LinearPatterns> {
  loading ??= load();
  return loading;
}

async function load(): Promise<LinearPatterns> {
  const { RE2JS } = await import('re2js');
  return () => {
    const budget = new StepBudget(allowedSteps);
    return (pattern) => {
      const rewritten = isPattern(pattern) ? rewritePattern(pattern) : undefined;
      if (rewritten === undefined || rewritten.size > mostInstructions) return undefined;
      const { text: expression, size } = rewritten;
      if (!budget.covers(size * stepsToCompile + pattern.length)) return undefined;
      const compiled = compile(() => RE2JS.compile(expression));
      if (compiled === undefined) return undefined;
      return (text) => {
        const steps = 1 + (text.length * size) / instructionsPerStep;
        return text.length > longestText || !budget.covers(steps) ? undefined : compiled.test(text);
      };
    };
  };
}

/** The steps that are left for the patterns of a call. */
class StepBudget {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  covers(steps: number): boolean {
    if (steps > this.#left) return false;
    this.#left -= steps;
    return true;
  }
}

/** V8 only parses it: nothing is run. */
function isPattern(pattern: string): boolean {
  return pattern.length <= longestPattern && compile(() => new RegExp(pattern, 'u')) !== undefined;
}

function compile<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
