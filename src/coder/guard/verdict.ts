// The guard's judgement of a command, and the findings behind it. The worst finding decides the verdict; among equals the
// first one in the command is kept.

export type GuardVerdict = 'allow' | 'ask' | 'refuse';

/** The category of a finding. */
export type FindingClass =
  | 'deletion'
  | 'fork-bomb'
  | 'device-write'
  | 'filesystem'
  | 'permissions'
  | 'forced-push'
  | 'power'
  | 'system-change'
  | 'hidden-execution'
  | 'unknown-code'
  | 'network'
  | 'secrets'
  | 'outside-write'
  | 'settings'
  | 'too-complex'
  | 'unparsed';

export interface Finding {
  readonly verdict: Exclude<GuardVerdict, 'allow'>;
  readonly class: FindingClass;
  /** What is wrong, starting with the part of the command concerned. */
  readonly reason: string;
}

export interface Judgement {
  readonly verdict: GuardVerdict;
  readonly class?: FindingClass;
  readonly reason: string;
}

export class Findings {
  #worst: Finding | undefined;

  add(finding: Finding): void {
    if (this.#worst === undefined || (this.#worst.verdict === 'ask' && finding.verdict === 'refuse')) {
      this.#worst = finding;
    }
  }

  /** No later finding can change the verdict. */
  get isSettled(): boolean {
    return this.#worst?.verdict === 'refuse';
  }

  get worst(): Finding | undefined {
    return this.#worst;
  }

  toJudgement(): Judgement {
    if (this.#worst === undefined) return { verdict: 'allow', reason: 'nothing dangerous found' };
    const { verdict, class: found, reason } = this.#worst;
    return { verdict, class: found, reason: `${found}: ${reason}` };
  }
}
