// The parameters of ACP requests, and errors as ACP reports them. A wrong parameter is an error that names it.

import { SimpleAgentsError, type ErrorKind } from '../core/error.ts';
import { isRecord } from '../core/json.ts';
import type { RpcError } from '../rpc/message.ts';
import { acpErrorCodes } from './types.ts';

export class Params {
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(params: unknown) {
    this.#members = isRecord(params) ? params : {};
  }

  get(name: string): unknown {
    return this.#members[name];
  }

  string(name: string): string {
    return this.optionalString(name) ?? invalid(name, 'is missing');
  }

  optionalString(name: string): string | undefined {
    const value = this.#members[name];
    if (value === undefined || value === null) return undefined;
    return typeof value === 'string' ? value : invalid(name, 'must be a string');
  }

  /** Null counts as empty. */
  list(name: string): readonly unknown[] {
    const value = this.#members[name] ?? [];
    return Array.isArray(value) ? value : invalid(name, 'must be a list');
  }

  absolutePath(name: string): string {
    return checkAbsolute(name, this.string(name));
  }

  optionalPath(name: string): string | undefined {
    const path = this.optionalString(name);
    return path === undefined ? undefined : checkAbsolute(name, path);
  }
}

function checkAbsolute(name: string, path: string): string {
  const isAbsolute = /^([A-Za-z]:[\\/]|\/)/.test(path);
  return isAbsolute ? path : invalid(name, `must be an absolute path: ${JSON.stringify(path)}`);
}

export function invalid(name: string, problem: string): never {
  throw new SimpleAgentsError('bad-request', `${name}: ${problem}`, { field: name });
}

const codes: Readonly<Partial<Record<ErrorKind, number>>> = {
  'bad-request': acpErrorCodes.invalidParams,
  auth: acpErrorCodes.authRequired,
  'not-found': acpErrorCodes.notFound,
};

export function toRpcError({ kind, message, field }: SimpleAgentsError): RpcError {
  const data = field === undefined ? { kind } : { kind, field };
  return { code: codes[kind] ?? acpErrorCodes.internalError, message, data };
}

/** The error that ended a turn. Only a problem with credentials is something that the client can solve. */
export function toTurnError(error: SimpleAgentsError): RpcError {
  const code = error.kind === 'auth' ? acpErrorCodes.authRequired : acpErrorCodes.internalError;
  return { ...toRpcError(error), code };
}
