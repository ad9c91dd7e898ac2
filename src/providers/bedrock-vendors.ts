// The rows of Amazon Bedrock. Both reach the same models of Anthropic: the first in Bedrock's own format, which it has for
// the models of every maker, the second in Anthropic's.

import type { Capabilities, VendorRow } from './vendors.ts';

const capabilities: Capabilities = {
  tools: true,
  images: true,
  audio: true,
  documents: true,
  reasoning: true,
  responseFormat: 'json-schema',
  schemas: 'closed',
  formatless: /nova|titan|llama|cohere|ai21|claude-(?:3|v2|instant|(?:opus|sonnet)-4-(?:1-|2025))/,
  plainJson: false,
};

const access = {
  baseUrl: 'https://bedrock-runtime.{region}.amazonaws.com',
  auth: 'bearer',
  cloud: 'aws',
  keyEnv: 'AWS_BEARER_TOKEN_BEDROCK',
  // As in the official SDKs.
  baseUrlEnv: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME',
  noModelList: true,
} as const satisfies Partial<VendorRow>;

export const bedrockVendors: readonly VendorRow[] = [
  {
    ...access,
    name: 'bedrock',
    label: 'Amazon Bedrock',
    wire: 'bedrock-converse',
    capabilities,
    embeddings: { format: 'bedrock', maxInputs: 96, oneInput: /titan/ },
    // The profile that is available from most regions.
    defaultModel: 'global.amazon.nova-2-lite-v1:0',
  },
  {
    ...access,
    name: 'bedrock-anthropic',
    label: 'Anthropic on Amazon Bedrock',
    wire: 'bedrock-anthropic',
    capabilities: { ...capabilities, audio: false },
    validArguments: true,
  },
];
