// A stream-json process as an ACP session uses it. The code that spawns it implements this.

export interface AgentProcess {
  /** Resolves to a sentence about the end. */
  readonly ended: Promise<string>;
  /** Returns false if the process has ended. */
  write(line: string): boolean;
  /** Waits for the process to end by itself for some seconds. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface ProcessListener {
  readonly onLine: (line: string) => void;
  readonly onFault: (description: string) => void;
}

export type StartAgentProcess = (args: readonly string[], listener: ProcessListener) => AgentProcess;
