// What counts as a reference to an object of the provider's account, in the bodies of every wire.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findReference, isReferenceField } from './stored-reference.ts';

const chat = (content: unknown) => ({ model: 'm', messages: [{ role: 'user', content }] });
const responses = (content: unknown) => ({ model: 'm', input: [{ role: 'user', content }] });
const gemini = (part: unknown) => ({ contents: [{ role: 'user', parts: [part] }] });

const references: Readonly<Record<string, readonly [body: unknown, path: string]>> = {
  'chat: a file': [chat([{ type: 'file', file: { file_id: 'file-1' } }]), 'messages[0].content[0].file.file_id'],
  'chat: an earlier audio': [{ messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }, 'messages[0].audio'],
  'chat: the same with a mark': [
    { messages: [{ role: 'assistant', audio: { id: 'audio_1', type: 'x' } }] },
    'messages[0].audio',
  ],
  'chat: a response': [{ ...chat('a'), previous_response_id: 'resp_1' }, 'previous_response_id'],
  'chat: a voice': [{ ...chat('a'), audio: { voice: { id: 'voice_1' } } }, 'audio.voice'],
  'responses: a file': [responses([{ type: 'input_file', file_id: 'file-1' }]), 'input[0].content[0].file_id'],
  'responses: an image': [responses([{ type: 'input_image', file_id: 'f' }]), 'input[0].content[0].file_id'],
  'responses: vector stores': [
    { input: 'a', tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
    'tools[0].vector_store_ids',
  ],
  'responses: a container': [
    { input: 'a', tools: [{ type: 'code_interpreter', container: 'cntr_1' }] },
    'tools[0].container',
  ],
  'responses: files of a new container': [
    { input: 'a', tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }] },
    'tools[0].container.file_ids',
  ],
  'responses: the container of a shell': [
    { tools: [{ type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_1' } }] },
    'tools[0].environment.container_id',
  ],
  'responses: a mask': [
    { tools: [{ type: 'image_generation', input_image_mask: { file_id: 'file-1' } }] },
    'tools[0].input_image_mask.file_id',
  ],
  'responses: a prompt': [{ prompt: { id: 'pmpt_1', variables: {} } }, 'prompt'],
  'responses: a skill': [
    { tools: [{ skills: [{ type: 'skill_reference', skill_id: 's' }] }] },
    'tools[0].skills[0].skill_id',
  ],
  'an item': [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].id'],
  'an item without a type': [{ input: [{ id: 'msg_1' }] }, 'input[0].id'],
  'a conversation': [{ conversation: 'conv_1' }, 'conversation'],
  'a conversation as an object': [{ conversation: { id: 'conv_1' } }, 'conversation'],
  'messages: a file': [
    chat([{ type: 'document', source: { type: 'file', file_id: 'file_1' } }]),
    'messages[0].content[0].source.file_id',
  ],
  'messages: an upload': [chat([{ type: 'container_upload', file_id: 'f' }]), 'messages[0].content[0].file_id'],
  'messages: a file in the result of a tool': [
    chat([
      { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] },
    ]),
    'messages[0].content[0].content[0].source.file_id',
  ],
  'messages: a container': [{ ...chat('a'), container: 'container_1' }, 'container'],
  'messages: a container by id': [{ ...chat('a'), container: { id: 'container_1' } }, 'container'],
  'messages: an own skill': [
    { container: { skills: [{ type: 'custom', skill_id: 'skill_1' }] } },
    'container.skills[0].skill_id',
  ],
  'messages: an earlier message': [
    { diagnostics: { previous_message_id: 'msg_1' } },
    'diagnostics.previous_message_id',
  ],
  'gemini: a file': [gemini({ fileData: { fileUri: 'files/abc' } }), 'contents[0].parts[0].fileData.fileUri'],
  'gemini: the address of a file': [
    gemini({ file_data: { file_uri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } }),
    'contents[0].parts[0].file_data.file_uri',
  ],
  'gemini: a bucket': [gemini({ fileData: { fileUri: 'gs://b/o' } }), 'contents[0].parts[0].fileData.fileUri'],
  'gemini: a cached content': [{ ...gemini({ text: 'a' }), cachedContent: 'cachedContents/1' }, 'cachedContent'],
  'gemini: the same in snake case': [{ cached_content: 'cachedContents/1' }, 'cached_content'],
  'gemini: stores': [
    { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/1'] } }] },
    'tools[0].fileSearch.fileSearchStoreNames',
  ],
  'vertex: a search index': [
    { tools: [{ retrieval: { vertexAiSearch: { datastore: 'projects/p' } } }] },
    'tools[0].retrieval.vertexAiSearch',
  ],
  'a bucket as an image': [
    chat([{ type: 'image_url', image_url: { url: 's3://b/o' } }]),
    'messages[0].content[0].image_url.url',
  ],
  'a file as an image': [
    responses([{ type: 'input_image', image_url: 'HTTPS://GenerativeLanguage.googleapis.com./v1beta/files/a' }]),
    'input[0].content[0].image_url',
  ],
  'a field that is not known yet': [{ ...chat('a'), brand_new_store_ids: ['x'] }, 'brand_new_store_ids'],
};

const schema = { type: 'object', properties: { file_id: { type: 'string' }, container: { type: 'string' } } };
const data = { file_id: 'file-1', container: 'c', prompt: { id: 'x' }, url: 'gs://b' };

const harmless: Readonly<Record<string, unknown>> = {
  'text': chat('file_id: file-1'),
  'schemas, arguments and results of tools, in the format of chat': {
    messages: [
      {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"file_id":"1"}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '{"file_id":"1"}' },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
    metadata: data,
    plugins: [{ id: 'web' }],
    audio: { voice: 'alloy', format: 'wav' },
  },
  'of responses': {
    input: [
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'x' },
      { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
      {
        type: 'computer_call_output',
        call_id: 'c',
        acknowledged_safety_checks: [{ id: 's', code: 'c', message: 'm' }],
      },
    ],
    tools: [
      { type: 'function', name: 'f', parameters: schema },
      { type: 'code_interpreter', container: { type: 'auto' } },
      { type: 'mcp', server_label: 's', server_url: 'https://mcp.example/', connector_id: 'c' },
    ],
    text: { format: { type: 'json_schema', name: 'n', schema } },
  },
  'of messages': {
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: data }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'a', citations: [{ type: 'char_location', file_id: null }] }],
      },
    ],
    tools: [{ name: 'f', input_schema: schema, input_examples: [data] }],
    container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] },
    metadata: { user_id: 'u' },
  },
  'of gemini': {
    contents: [
      { parts: [{ functionCall: { id: 'c', name: 'f', args: data } }] },
      { parts: [{ functionResponse: { id: 'c', name: 'f', response: data } }] },
    ],
    tools: [
      { functionDeclarations: [{ name: 'f', parameters: schema, response: schema, parametersJsonSchema: schema }] },
    ],
    generationConfig: { responseSchema: schema, responseJsonSchema: schema },
    labels: { team_id: 't' },
  },
  'addresses of the web, and data': {
    ...chat([
      { type: 'image_url', image_url: { url: 'https://storage.googleapis.com/public/a.png' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } },
    ]),
    ...gemini({ fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } }),
  },
  'a legacy completion': { prompt: ['a'], suffix: 'b' },
  'embeddings': { input: ['file_id'], user: 'u' },
  'empty members': { container: null, vector_store_ids: [], file_id: '', cachedContent: '' },
};

describe('a reference', () => {
  for (const [what, [body, path]] of Object.entries(references)) {
    test(what, () => assert.equal(findReference(body), path));
  }
});

describe('no reference', () => {
  for (const [what, body] of Object.entries(harmless)) test(what, () => assert.equal(findReference(body), undefined));
});

test('members that the route verifies are not checked', () => {
  const verified = ['previous_response_id', 'input'];
  const body = { previous_response_id: 'resp_1', input: [{ type: 'item_reference', id: 'msg_1' }] };
  assert.equal(findReference(body, verified), undefined);
  assert.equal(findReference({ ...body, conversation: 'conv_1' }, verified), 'conversation');
});

test('names in any case', () => {
  for (const name of [
    'FILE_ID',
    'File_Id',
    'fileid',
    'FILEIDS',
    'Vector_Store_IDs',
    'vectorStoreIds',
    'CONTAINER',
    'CachedContent',
  ])
    assert.equal(findReference({ tools: [{ [name]: 'x' }] }), `tools[0].${name}`);
});

test('fields of forms', () => {
  for (const field of ['file_id', 'file_ids[]', 'fileId', 'voice[id]', 'container', 'a.file_id', 'images[0][file_id]'])
    assert.ok(isReferenceField(field), field);
  for (const field of ['file', 'model', 'prompt', 'voice', 'image[]', 'timestamp_granularities[]', 'audio', 'user_id'])
    assert.ok(!isReferenceField(field), field);
});
