// A schema made ready to heal against.

import { Family, type CandidateSet } from './candidate.ts';
import type { SchemaNode } from './schema.ts';

/** Shared by all sessions. */
export class Target {
  readonly schema: SchemaNode;
  readonly set: CandidateSet;

  constructor(schema: SchemaNode) {
    this.schema = schema;
    this.set = new Family().of([schema]);
  }
}
