// One local model through node-llama-cpp, on one thread of the CPU. The types are the part of its API that is used here,
// because the package is installed outside the checkout.

import type { Prompt } from './prompts.ts';

export interface LlamaModule {
  readonly getLlama: (options: { gpu: false; build: 'never'; maxThreads: number; logLevel: 'error' }) => Promise<Llama>;
  readonly LlamaCompletion: new (options: SequenceOptions) => {
    generateCompletionWithMeta(
      prompt: string,
      options: Sampling & { readonly customStopTriggers: readonly string[] },
    ): Promise<Generation & { readonly response: string }>;
  };
  readonly LlamaChatSession: new (options: SequenceOptions) => {
    setChatHistory(history: readonly ChatTurn[]): void;
    promptWithMeta(prompt: string, options: Sampling): Promise<Generation & { readonly responseText: string }>;
  };
}

export interface OpenModel {
  readonly ask: (question: ModelQuestion) => Promise<{ readonly text: string; readonly finish: 'stop' | 'length' }>;
  readonly close: () => Promise<void>;
}

type ChatTurn =
  | { readonly type: 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: readonly string[] };

interface ModelQuestion {
  readonly prompt: Prompt;
  readonly isChat: boolean;
  readonly seed: number;
  readonly maxTokens: number;
}

interface Llama {
  loadModel(options: { modelPath: string }): Promise<{
    createContext(options: { contextSize: number; threads: number }): Promise<{ getSequence(): Sequence }>;
    dispose(): Promise<void>;
  }>;
}

interface Sequence {
  clearHistory(): Promise<void>;
}

interface SequenceOptions {
  readonly contextSequence: Sequence;
}

interface Sampling {
  readonly maxTokens: number;
  readonly temperature: number;
  readonly seed: number;
}

interface Generation {
  readonly metadata?: { readonly stopReason: string };
  readonly stopReason?: string;
}

const temperature = 0.7;
const contextSize = 2048;
/** A base model would go on with the next example. */
const stopTriggers = ['\n\n', 'Text:'];

export async function openModel(module: LlamaModule, modelPath: string): Promise<OpenModel> {
  const llama = await module.getLlama({ gpu: false, build: 'never', maxThreads: 1, logLevel: 'error' });
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({ contextSize, threads: 1 });
  const sequence = context.getSequence();
  return {
    ask: async (question) => {
      await sequence.clearHistory();
      return question.isChat ? chat(module, sequence, question) : complete(module, sequence, question);
    },
    close: async () => model.dispose(),
  };
}

async function chat(module: LlamaModule, contextSequence: Sequence, { prompt, seed, maxTokens }: ModelQuestion) {
  const session = new module.LlamaChatSession({ contextSequence });
  session.setChatHistory(turnsOf(prompt));
  const { responseText, stopReason } = await session.promptWithMeta(prompt.text, { maxTokens, temperature, seed });
  return { text: responseText, finish: finishOf(stopReason) };
}

async function complete(module: LlamaModule, contextSequence: Sequence, { prompt, seed, maxTokens }: ModelQuestion) {
  const completion = new module.LlamaCompletion({ contextSequence });
  const { response, metadata } = await completion.generateCompletionWithMeta(prompt.text, {
    maxTokens,
    temperature,
    seed,
    customStopTriggers: stopTriggers,
  });
  return { text: response, finish: finishOf(metadata?.stopReason) };
}

function turnsOf({ earlier }: Prompt): ChatTurn[] {
  if (earlier === undefined) return [];
  return [
    { type: 'user', text: earlier.text },
    { type: 'model', response: [earlier.response] },
  ];
}

function finishOf(stopReason: string | undefined): 'stop' | 'length' {
  return stopReason === 'maxTokens' ? 'length' : 'stop';
}
