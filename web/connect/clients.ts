// The lines to paste for each client, with the address of this gateway.

import { pythonLiteral, scriptLiteral, shellLiteral } from '../kit/literal.ts';

export interface Client {
  readonly name: string;
  readonly language: 'shell' | 'TypeScript' | 'Python';
  /** What to install first. */
  readonly install?: string;
  readonly lines: (settings: ClientSettings) => string;
}

export interface ClientSettings {
  /** `http://127.0.0.1:4000` */
  readonly origin: string;
  readonly key: string;
  readonly model: string;
}

const question = 'Count to 3';

export const clients: readonly [Client, ...Client[]] = [
  {
    name: 'curl',
    language: 'shell',
    lines: ({ origin, key, model }) => `curl -N ${origin}/v1/chat/completions \\
  -H ${shellLiteral(`authorization: Bearer ${key}`)} \\
  -H 'content-type: application/json' \\
  -d ${shellLiteral(curlBody(model))}`,
  },
  {
    name: 'OpenAI SDK',
    language: 'TypeScript',
    install: 'npm install openai',
    lines: ({ origin, key, model }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: ${scriptLiteral(key)} });
const stream = await client.chat.completions.create({
  model: ${scriptLiteral(model)},
  messages: [{ role: 'user', content: '${question}' }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');`,
  },
  {
    name: 'OpenAI SDK',
    language: 'Python',
    install: 'pip install openai',
    lines: ({ origin, key, model }) => `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=${pythonLiteral(key)})
stream = client.chat.completions.create(
    model=${pythonLiteral(model)},
    messages=[{"role": "user", "content": "${question}"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`,
  },
  {
    name: 'Anthropic SDK',
    language: 'TypeScript',
    install: 'npm install @anthropic-ai/sdk',
    lines: ({ origin, key, model }) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${origin}', apiKey: ${scriptLiteral(key)} });
const stream = client.messages.stream({
  model: ${scriptLiteral(model)},
  max_tokens: 1000,
  messages: [{ role: 'user', content: '${question}' }],
});
stream.on('text', (text) => process.stdout.write(text));
await stream.finalMessage();`,
  },
  {
    name: 'Anthropic SDK',
    language: 'Python',
    install: 'pip install anthropic',
    lines: ({ origin, key, model }) => `from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key=${pythonLiteral(key)})
with client.messages.stream(
    model=${pythonLiteral(model)},
    max_tokens=1000,
    messages=[{"role": "user", "content": "${question}"}],
) as stream:
    for text in stream.text_stream:
        print(text, end="")`,
  },
  {
    name: 'Google SDK',
    language: 'TypeScript',
    install: 'npm install @google/genai',
    lines: ({ origin, key, model }) => `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({ apiKey: ${scriptLiteral(key)}, httpOptions: { baseUrl: '${origin}' } });
const stream = await client.models.generateContentStream({
  model: ${scriptLiteral(model)},
  contents: '${question}',
});
for await (const chunk of stream) process.stdout.write(chunk.text ?? '');`,
  },
  {
    name: 'AI SDK',
    language: 'TypeScript',
    install: 'npm install ai @ai-sdk/openai',
    lines: ({ origin, key, model }) => `import { createOpenAI } from '@ai-sdk/openai';
import { streamText } from 'ai';

const gateway = createOpenAI({ baseURL: '${origin}/v1', apiKey: ${scriptLiteral(key)} });
const { textStream } = streamText({ model: gateway(${scriptLiteral(model)}), prompt: '${question}' });
for await (const text of textStream) process.stdout.write(text);`,
  },
  {
    name: 'LangChain',
    language: 'Python',
    install: 'pip install langchain-openai',
    lines: ({ origin, key, model }) => `from langchain_openai import ChatOpenAI

model = ChatOpenAI(model=${pythonLiteral(model)}, base_url="${origin}/v1", api_key=${pythonLiteral(key)})
for chunk in model.stream("${question}"):
    print(chunk.text, end="")`,
  },
  {
    name: 'LangChain',
    language: 'TypeScript',
    install: 'npm install @langchain/openai @langchain/core',
    lines: ({ origin, key, model }) => `import { ChatOpenAI } from '@langchain/openai';

const configuration = { baseURL: '${origin}/v1' };
const model = new ChatOpenAI({ model: ${scriptLiteral(model)}, apiKey: ${scriptLiteral(key)}, configuration });
for await (const chunk of await model.stream('${question}')) process.stdout.write(chunk.text);`,
  },
  {
    name: 'Claude Code',
    language: 'shell',
    install: 'npm install --global @anthropic-ai/claude-code',
    lines: ({ origin, key, model }) => `ANTHROPIC_BASE_URL=${origin} \\
ANTHROPIC_API_KEY=${shellLiteral(key)} \\
ANTHROPIC_MODEL=${shellLiteral(model)} \\
  claude -p '${question}'`,
  },
  {
    name: 'Codex',
    language: 'shell',
    install: 'npm install --global @openai/codex',
    lines: ({ origin, key, model }) => `GATEWAY_KEY=${shellLiteral(key)} codex exec --skip-git-repo-check \\
  -c model_provider=gateway \\
  -c 'model_providers.gateway={name="gateway",base_url="${origin}/v1",env_key="GATEWAY_KEY",wire_api="responses"}' \\
  --model ${shellLiteral(model)} '${question}'`,
  },
];

function curlBody(model: string): string {
  return `{"model": ${JSON.stringify(model)}, "stream": true, "messages": [{"role": "user", "content": "${question}"}]}`;
}
