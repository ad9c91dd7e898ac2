// The faults that are switched on for simulated targets, while the process runs. Only names given at the start have a
// switch, so a fault can never reach another provider.

import { SimpleAgentsError } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';
import { didYouMean } from '../../core/suggest.ts';
import { readFault, type Fault } from './fault.ts';
import { unplayableField } from './provider.ts';

export interface SwitchedTarget {
  readonly name: string;
  /** Without fields: the target works. */
  readonly fault: Fault;
}

export class FaultSwitches {
  readonly #faults: Map<string, Fault>;

  constructor(names: readonly string[]) {
    this.#faults = new Map(names.map((name) => [name, {}]));
  }

  list(): readonly SwitchedTarget[] {
    return Array.from(this.#faults, ([name, fault]) => ({ name, fault }));
  }

  faultOf(name: string): Fault {
    return this.#faults.get(name) ?? {};
  }

  /** Throws `bad-request` if there is no such switch, or if the fault is invalid or needs an HTTP connection. */
  set(name: string, fault: unknown): void {
    if (!this.#faults.has(name)) fail('target', `there is no simulated target "${name}"${this.#suggest(name)}`);
    if (!isRecord(fault)) fail('fault', 'fault: must be an object, for example {"status":429}; {} removes the fault');
    const read = readFault(fault, 'fault');
    const unplayable = unplayableField(read);
    if (unplayable !== undefined) fail(`fault.${unplayable}`, `fault.${unplayable}: requires an HTTP connection`);
    this.#faults.set(name, read);
  }

  #suggest(name: string): string {
    const known = [...this.#faults.keys()];
    return known.length === 0 ? '; this gateway has none' : didYouMean(name, known);
  }
}

function fail(field: string, message: string): never {
  throw new SimpleAgentsError('bad-request', message, { field });
}
