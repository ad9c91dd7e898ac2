// What the guard says of a command, and the findings it is made of. The worst finding is the verdict; the first of
// equals is kept, for it stands earliest in the command.

export type GuardVerdict = 'allow' | 'ask' | 'refuse';

/** Why something is not simply allowed. */
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
  | 'unparsed';

export interface Finding {
  readonly verdict: Exclude<GuardVerdict, 'allow'>;
  readonly class: FindingClass;
  /** What is wrong, beginning with the part of the command it is about. */
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

  /** Nothing that follows can change the verdict. */
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
