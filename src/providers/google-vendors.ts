// Google's models: the Gemini API of AI Studio, with a key, and Vertex AI, with the credentials of Google Cloud.

import type { Capabilities, VendorRow } from './vendors.ts';

const capabilities: Capabilities = {
  tools: true,
  images: true,
  audio: true,
  documents: true,
  reasoning: true,
  responseFormat: 'json-schema',
  wordChoice: true,
};

const models = { defaultModel: 'gemini-3.8-flash', testModel: 'gemini-3.1-flash-lite' };

export const googleVendors: readonly VendorRow[] = [
  {
    name: 'google',
    label: 'Google AI Studio',
    wire: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    defaultPath: '/v1beta',
    auth: 'x-goog-api-key',
    needsKey: true,
    keyEnv: 'GEMINI_API_KEY',
    otherKeyEnv: 'GOOGLE_API_KEY',
    baseUrlEnv: 'GOOGLE_GEMINI_BASE_URL',
    embeddings: { format: 'gemini', maxInputs: 100 },
    capabilities,
    // Arguments are part of the JSON of a response.
    validArguments: true,
    ...models,
    modelPrefixes: ['gemini-', 'gemma-', 'learnlm-', 'tunedModels/'],
  },
  {
    name: 'vertex',
    label: 'Google Vertex AI',
    wire: 'gemini',
    auth: 'bearer',
    cloud: 'google',
    baseUrlEnv: 'GOOGLE_VERTEX_BASE_URL',
    baseUrlPattern:
      'https://{GOOGLE_CLOUD_LOCATION}-aiplatform.googleapis.com/v1/projects/{GOOGLE_CLOUD_PROJECT}/locations/{GOOGLE_CLOUD_LOCATION}/publishers/google',
    quirks: { flatCount: true },
    // A request may have 250 inputs and 20,000 tokens.
    embeddings: { format: 'vertex', maxInputs: 250, maxTokens: 20_000, oneInput: /gemini-embedding/ },
    capabilities,
    validArguments: true,
    ...models,
  },
];
