// The mode and the options of a session, as ACP lists them. The mode is also an option, because newer clients show only
// options.

import type { AgentSession } from './agent-session.ts';
import type { ConfigOption, SessionMode } from './types.ts';

export const modeOption = 'mode';

export interface SessionModeState {
  readonly currentModeId: string;
  readonly availableModes: readonly SessionMode[];
}

export function modesOf({ modes, modeId }: AgentSession): SessionModeState {
  return { currentModeId: modeId, availableModes: modes };
}

export function configOptionsOf({ modes, modeId, options }: AgentSession): readonly ConfigOption[] {
  const mode: ConfigOption = {
    id: modeOption,
    name: 'Mode',
    description: 'What the agent may do without asking',
    category: 'mode',
    type: 'select',
    currentValue: modeId,
    options: modes.map(({ id, ...rest }) => ({ value: id, ...rest })),
  };
  return [mode, ...options];
}
