// The official schema of ACP, from the package @agentclientprotocol/sdk, as the judge of every message that an agent sends.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isRecord } from '../../src/core/json.ts';

type SchemaDocument = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>;

const schemaFile = new URL(import.meta.resolve('@agentclientprotocol/sdk/schema/v1/schema.json'));

interface Definition {
  readonly 'x-method'?: string;
}

const { $defs = {} } = JSON.parse(readFileSync(schemaFile, 'utf8')) as SchemaDocument;
const compiled = new Map<string, z.ZodType>();

function schemaOf(name: string): z.ZodType {
  const known = compiled.get(name) ?? z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs });
  compiled.set(name, known);
  return known;
}

export function acpNotificationSchema(): z.ZodType {
  return schemaOf('SessionNotification');
}

/** The definition of a method's message: `session/new` and `Response` give `NewSessionResponse`. */
function definitionOf(method: string, kind: 'Request' | 'Response' | 'Notification'): string | undefined {
  const found = Object.entries($defs).find(([name, definition]) => {
    return (definition as Definition)['x-method'] === method && name.endsWith(kind);
  });
  return found?.[0];
}

/** Judges the lines of an agent. It must see the lines of the client too, because a response does not name its method. */
export class AcpJudge {
  readonly problems: string[] = [];
  readonly #methods = new Map<unknown, string>();

  fromClient(line: string): void {
    const message = parse(line);
    if (typeof message?.['method'] === 'string') this.#methods.set(message['id'], message['method']);
  }

  fromAgent(line: string): void {
    const message = parse(line);
    if (message?.['jsonrpc'] !== '2.0') this.problems.push(`This is not a message: ${line.slice(0, 200)}`);
    else if (typeof message['method'] === 'string') this.#judgeCall(message['method'], message);
    else this.#judgeReply(message);
  }

  #judgeCall(method: string, { id, params }: Record<string, unknown>): void {
    // The protocol reserves these names for extensions, whose shape is free.
    if (method.startsWith('_')) return;
    const name = definitionOf(method, id === undefined ? 'Notification' : 'Request');
    if (name === undefined) this.problems.push(`The schema does not know the method ${method}.`);
    else this.#judge(name, params);
  }

  #judgeReply({ id, error, result }: Record<string, unknown>): void {
    if (error !== undefined) return this.#judge('Error', error);
    const name = definitionOf(this.#methods.get(id) ?? '', 'Response');
    if (name === undefined) this.problems.push(`There is no request for the reply ${JSON.stringify(id)}.`);
    else this.#judge(name, result);
  }

  #judge(name: string, value: unknown): void {
    const verdict = schemaOf(name).safeParse(value);
    if (!verdict.success) this.problems.push(`${name}: ${JSON.stringify(value)}\n${verdict.error.message}`);
  }
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
