// The system prompt, parameters and tools of a conversation.

import { change, current, type ChatSettings } from './conversation.ts';

const exampleTools = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather in a city',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
          required: ['city'],
        },
      },
    },
  ],
  undefined,
  2,
);

export function SettingsPanel() {
  const { settings } = current.value;
  return (
    <section class="settings" id="chat-settings" aria-label="Settings of the conversation">
      <label class="field wide">
        <span>System prompt</span>
        <textarea rows={2} value={settings.system} onInput={(event) => set({ system: event.currentTarget.value })} />
      </label>
      <NumberField
        title="Temperature"
        value={settings.temperature}
        step={0.1}
        max={2}
        onValue={(temperature) => set(withOptional('temperature', temperature))}
      />
      <NumberField
        title="Most tokens"
        value={settings.maxTokens}
        step={1}
        onValue={(maxTokens) => set(withOptional('maxTokens', maxTokens))}
      />
      <label class="field">
        <span>Reasoning</span>
        <select
          value={settings.reasoning}
          onChange={(event) => set({ reasoning: event.currentTarget.value as ChatSettings['reasoning'] })}
        >
          <option value="">Model's default</option>
          <option value="low">Low</option>
          <option value="medium">Medium</option>
          <option value="high">High</option>
        </select>
      </label>
      <label class="field wide">
        <span>Tools, as a JSON list</span>
        <textarea
          rows={3}
          class="code-input"
          spellcheck={false}
          value={settings.tools}
          onInput={(event) => set({ tools: event.currentTarget.value })}
        />
      </label>
      <button class="quiet" onClick={() => set({ tools: exampleTools })}>
        Insert an example tool
      </button>
    </section>
  );
}

function set(changes: Partial<ChatSettings>): void {
  change({ settings: { ...current.value.settings, ...changes } });
}

/** `undefined` removes the parameter. */
function withOptional(name: 'temperature' | 'maxTokens', value: number | undefined): Partial<ChatSettings> {
  return { [name]: value };
}

interface NumberFieldProps {
  readonly title: string;
  readonly value: number | undefined;
  readonly step: number;
  readonly max?: number;
  readonly onValue: (value: number | undefined) => void;
}

function NumberField({ title, value, step, max, onValue }: NumberFieldProps) {
  return (
    <label class="field">
      <span>{title}</span>
      <input
        type="number"
        min={0}
        max={max}
        step={step}
        placeholder="default"
        value={value ?? ''}
        onInput={(event) => {
          const number = event.currentTarget.valueAsNumber;
          onValue(Number.isFinite(number) ? number : undefined);
        }}
      />
    </label>
  );
}
