// The vendors we know by name: one row each.

export interface VendorRow {
  readonly name: string;
  /** Left out: the user must say it. */
  readonly baseUrl?: string;
  /** The environment variable that holds the key. */
  readonly keyEnv?: string;
  /** The environment variable that replaces the base URL. */
  readonly baseUrlEnv?: string;
}

export const vendors: readonly VendorRow[] = [
  {
    name: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keyEnv: 'OPENAI_API_KEY',
    baseUrlEnv: 'OPENAI_BASE_URL',
  },
  {
    name: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    keyEnv: 'ANTHROPIC_API_KEY',
    baseUrlEnv: 'ANTHROPIC_BASE_URL',
  },
  { name: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1', keyEnv: 'OPENROUTER_API_KEY' },
  { name: 'groq', baseUrl: 'https://api.groq.com/openai/v1', keyEnv: 'GROQ_API_KEY' },
  { name: 'mistral', baseUrl: 'https://api.mistral.ai/v1', keyEnv: 'MISTRAL_API_KEY' },
  { name: 'deepseek', baseUrl: 'https://api.deepseek.com', keyEnv: 'DEEPSEEK_API_KEY' },
  { name: 'xai', baseUrl: 'https://api.x.ai/v1', keyEnv: 'XAI_API_KEY' },
  { name: 'together', baseUrl: 'https://api.together.xyz/v1', keyEnv: 'TOGETHER_API_KEY' },
  { name: 'fireworks', baseUrl: 'https://api.fireworks.ai/inference/v1', keyEnv: 'FIREWORKS_API_KEY' },
  { name: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1', keyEnv: 'LM_API_TOKEN' },
  { name: 'vllm', baseUrl: 'http://127.0.0.1:8000/v1', keyEnv: 'VLLM_API_KEY' },
  { name: 'openai-compatible' },
  { name: 'anthropic-compatible' },
];

export function vendorNamed(name: string): VendorRow | undefined {
  return vendors.find((vendor) => vendor.name === name);
}
