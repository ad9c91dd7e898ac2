// The questions of `config init` at a terminal: providers, another server, the default model. Nothing is written if the
// user cancels.

import { cancel, confirm, intro, isCancel, multiselect, note, select, text } from '@clack/prompts';
import { isVendorPresent } from '../../../config/environment.ts';
import type { InitialChoices, InitialProvider } from '../../../config/initial.ts';
import { checkNotEmpty, checkPlainUrl, checkProviderName, type ValueRule } from '../../../config/schema/rules.ts';
import { ownModel } from '../../../gateway/routing/resolve.ts';
import { vendorNamed, vendors } from '../../../providers/vendors.ts';
import type { Invocation } from '../../invocation.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const otherServer = 'openai-compatible';
const otherModel = '';
const noDefault = 'none';

export async function askForChoices(shown: string, { terminal, signal }: Invocation): Promise<InitialChoices> {
  const streams = { input: terminal.stdin, output: terminal.stdout, signal };
  const wizard = new Wizard(streams, terminal);
  intro(`New configuration for SimpleAgents: ${shown}`, streams);
  const providers = await wizard.askProviders();
  const defaultModel = await wizard.askDefaultModel(providers);
  note(summary(providers, terminal), 'Keys', streams);
  const isWanted = await wizard.ask(confirm({ message: `Write ${shown}?`, ...streams }));
  if (!isWanted) wizard.leave();
  return { providers, ...(defaultModel === undefined ? {} : { defaultModel }) };
}

interface Streams {
  readonly input: Terminal['stdin'];
  readonly output: Terminal['stdout'];
  readonly signal: AbortSignal;
}

class Wizard {
  readonly #streams: Streams;
  readonly #terminal: Terminal;

  constructor(streams: Streams, terminal: Terminal) {
    this.#streams = streams;
    this.#terminal = terminal;
  }

  async askProviders(): Promise<InitialProvider[]> {
    const { env } = this.#terminal;
    const offered = vendors.filter(({ baseUrl }) => baseUrl !== undefined);
    const options = offered.map(({ name, label, needsKey, keyEnv, ...vendor }) => {
      const isSet = isVendorPresent({ ...vendor, ...(keyEnv === undefined ? {} : { keyEnv }) }, env);
      const need = needsKey ? `needs ${keyEnv}` : 'runs on your machine';
      return { value: name, label, hint: isSet ? `${keyEnv ?? 'its URL'} is set` : need };
    });
    const another = { value: otherServer, label: 'another server', hint: 'with the OpenAI protocol' };
    const chosen = await this.ask(
      multiselect({
        message: 'Which providers do you want to use? Space selects, Enter continues.',
        options: [...options, another],
        initialValues: offered.filter((vendor) => isVendorPresent(vendor, env)).map(({ name }) => name),
        required: false,
        ...this.#streams,
      }),
    );
    const known = chosen.filter((type) => type !== otherServer).map((type) => ({ type }));
    return chosen.includes(otherServer) ? [...known, await this.#askServer()] : known;
  }

  async #askServer(): Promise<InitialProvider> {
    const baseUrl = await this.#askText(
      'What is the base URL of the server?',
      'http://127.0.0.1:8080/v1',
      checkPlainUrl,
    );
    const name = await this.#askText('What do you want to call it?', 'in-house', checkProviderName);
    const model = await this.#askText('Which of its models do you want to use?', 'llama-3.3-70b', checkNotEmpty);
    return { type: otherServer, name, baseUrl, model };
  }

  async askDefaultModel(providers: readonly InitialProvider[]): Promise<string | undefined> {
    const known = providers.flatMap(({ type, name = type, model = ownModel({ name, type }) }) =>
      model === undefined ? [] : [`${name}/${model}`],
    );
    const chosen = await this.ask(
      select({
        message: 'Which model should be the default?',
        options: [
          ...known.map((value) => ({ value, label: value })),
          { value: otherModel, label: 'another model' },
          { value: noDefault, label: 'no default', hint: 'use the first provider’s model' },
        ],
        ...this.#streams,
      }),
    );
    if (chosen === otherModel)
      return this.#askText('The model, as provider/model', known[0] ?? 'openai/gpt-4o', checkNotEmpty);
    return chosen === noDefault ? undefined : chosen;
  }

  async #askText(message: string, example: string, rule: ValueRule<string>): Promise<string> {
    return this.ask(text({ message, placeholder: example, validate: (value) => rule(value ?? ''), ...this.#streams }));
  }

  /** The user's reply; throws if the user cancels. */
  async ask<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
    const value = await question;
    return isCancel(value) ? this.leave() : (value as Exclude<T, symbol>);
  }

  leave(): never {
    cancel('Nothing was written.', this.#streams);
    throw new DOMException('the wizard was cancelled', 'AbortError');
  }
}

function summary(providers: readonly InitialProvider[], { env }: Terminal): string {
  const missing = providers.flatMap(({ type }) => {
    const vendor = vendorNamed(type);
    return vendor?.needsKey && vendor.keyEnv !== undefined && !isVendorPresent(vendor, env) ? [vendor.keyEnv] : [];
  });
  if (missing.length === 0) return 'All required API keys are in the environment.';
  return `API keys are never written to the file. Set these environment variables:\n${missing.join('\n')}`;
}
