// An agent for single tasks, as a file or a front end defines it, and the agents of a project as they were loaded.

export interface AgentDefinition {
  readonly name: string;
  /** For the model: what the agent is good at. */
  readonly description: string;
  /** Names of tools. Undefined: all tools. */
  readonly tools?: readonly string[];
  /** Undefined: the model of the run. */
  readonly model?: string;
  /** Its instructions. Undefined: those of the coding agent. */
  readonly prompt?: string;
  /** Where it is defined, for messages: `.forgeflare/agents/reviewer.md`. */
  readonly file?: string;
}

/** The agents of one folder. */
export interface AgentTable {
  readonly kind: 'agents';
  /** The project. Absolute. */
  readonly folder: string;
  /** The folder of the agent files. */
  readonly file: string;
  /** SHA-256 of the names and bytes that were parsed, so that trust covers exactly this content. */
  readonly digest: string;
  readonly agents: readonly AgentDefinition[];
}
