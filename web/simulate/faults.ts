// The faults to choose from, as `POST /api/simulation` takes them.

export interface FaultChoice {
  readonly name: string;
  readonly title: string;
  readonly explanation: string;
  readonly fault: Readonly<Record<string, unknown>>;
}

export const faultChoices: readonly [FaultChoice, ...FaultChoice[]] = [
  { name: 'none', title: 'Works', explanation: 'Answers every call.', fault: {} },
  {
    name: 'rate-limit',
    title: '429 storm',
    explanation: 'Refuses every call. The gateway falls back to the next target at once.',
    fault: { status: 429, retryAfter: '2', message: 'Too many requests (simulated).' },
  },
  {
    name: 'stall',
    title: 'Stall',
    explanation:
      'Sends nothing. After a second without a token the gateway uses the next target, and the breaker opens.',
    fault: { stallBeforeMs: 60_000 },
  },
  {
    name: 'cut',
    title: 'Cut',
    explanation:
      'Breaks off in the middle. The call fails, because its text has been sent; after some the breaker opens.',
    fault: { errorAfterEvents: 6, errorType: 'api_error', message: 'The connection was cut (simulated).' },
  },
  {
    name: 'damage',
    title: 'Damaged JSON',
    explanation: 'Writes JSON with mistakes. The gateway heals it while it streams.',
    fault: { damage: 'unquoted-keys' },
  },
  {
    name: 'slow',
    title: 'Slow tokens',
    explanation: 'Sends each token late. The latencies grow.',
    fault: { slow: 120 },
  },
];

/** The choice that a target is set to. Undefined: a fault that was set by another program. */
export function choiceOf(fault: object): FaultChoice | undefined {
  return faultChoices.find((choice) => equal(choice.fault, fault));
}

/** Faults are flat. */
function equal(left: Readonly<Record<string, unknown>>, right: object): boolean {
  const others = Object.entries(right);
  return others.length === Object.keys(left).length && others.every(([name, value]) => left[name] === value);
}
