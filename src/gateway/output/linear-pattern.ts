// Checks the patterns of clients' schemas in time linear in the text, with RE2 instead of RegExp. The engine is loaded on
// first use; a server loads it at start.
// Not checked are patterns that RE2 cannot express, long texts, and everything after the step budget of a call is spent. No
// request is rejected because of its pattern.

import type { PatternCompiler } from '../../heal/index.ts';
import { rewritePattern } from './pattern-syntax.ts';

/** Longer texts are not checked. */
const longestText = 64 * 1024;

/** Longer patterns, and patterns that are larger when their repeats are expanded, are not checked. */
const longestPattern = 4096;
const mostInstructions = 2000;

/** The step budget for the patterns of one call, and the costs of compiling and running an instruction. */
const allowedSteps = 400_000;
const stepsToCompile = 100;
const instructionsPerStep = 25;

/** Creates the compiler for one call. */
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

/** The remaining steps for the patterns of a call. */
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

/** Lets V8 parse the pattern without running it. */
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
