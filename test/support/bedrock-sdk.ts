// The official SDKs for Amazon Bedrock, unmodified, of `tools/cloud/`. Our own types cover what the tests use.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installedTools } from './outside-agents.ts';

type Members = Record<string, unknown>;

export interface BedrockCommand {
  readonly input: Members;
}

export interface ConverseOutput {
  readonly output: { readonly message: { readonly role: string; readonly content: readonly Members[] } };
  readonly stopReason: string;
  readonly usage: Readonly<Record<string, number>>;
}

interface Command {
  new (input: Members): BedrockCommand;
}

export interface BedrockSdk {
  readonly BedrockRuntimeClient: new (options: object) => {
    send(command: BedrockCommand): Promise<Members>;
    destroy(): void;
  };
  /** By default the client speaks HTTP/2, which an endpoint on this machine does not. */
  readonly NodeHttpHandler: new () => object;
  readonly ConverseCommand: Command;
  readonly ConverseStreamCommand: Command;
  readonly CountTokensCommand: Command;
  readonly InvokeModelCommand: Command;
  readonly InvokeModelWithResponseStreamCommand: Command;
}

/** Anthropic's client for Bedrock has the interface of its usual client. */
export interface AnthropicBedrockSdk {
  readonly AnthropicBedrock: new (options: object) => {
    readonly messages: {
      create(request: Members): Promise<Members>;
      stream(request: Members): AsyncIterable<Members> & { finalMessage(): Promise<Members> };
    };
  };
}

async function load<T>(name: string): Promise<T> {
  const folder = await installedTools('cloud');
  return createRequire(join(folder, 'none.js'))(name) as T;
}

export async function bedrockSdk(): Promise<BedrockSdk> {
  return {
    ...(await load<BedrockSdk>('@aws-sdk/client-bedrock-runtime')),
    ...(await load('@smithy/node-http-handler')),
  };
}

export function anthropicBedrockSdk(): Promise<AnthropicBedrockSdk> {
  return load('@anthropic-ai/bedrock-sdk');
}
