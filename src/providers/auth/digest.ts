// Hashes and signatures through WebCrypto, which every supported runtime except the embedded engine has.

import { SimpleAgentsError } from '../../core/error.ts';

const encoder = new TextEncoder();

export async function sha256Hex(text: string): Promise<string> {
  return toHex(await subtle().digest('SHA-256', encoder.encode(text)));
}

export async function hmacSha256(key: ArrayBuffer | Uint8Array<ArrayBuffer>, text: string): Promise<ArrayBuffer> {
  const imported = await subtle().importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return subtle().sign('HMAC', imported, encoder.encode(text));
}

/** RS256, as in a JSON Web Token. `pem`: a private key in PKCS #8. */
export async function signRs256(pem: string, text: string): Promise<ArrayBuffer> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const key = await subtle().importKey('pkcs8', decodePem(pem), algorithm, false, ['sign']);
  return subtle().sign(algorithm, key, encoder.encode(text));
}

export function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

function decodePem(pem: string): Uint8Array<ArrayBuffer> {
  const body = /-----BEGIN PRIVATE KEY-----([^-]*)-----END PRIVATE KEY-----/.exec(pem)?.[1];
  if (body === undefined) throw new Error('is not a PKCS #8 key (BEGIN PRIVATE KEY)');
  return Uint8Array.from(atob(body.replaceAll(/\s/g, '')), (character) => character.charCodeAt(0));
}

function subtle(): SubtleCrypto {
  if (globalThis.crypto?.subtle !== undefined) return globalThis.crypto.subtle;
  const message = 'cloud credentials need WebCrypto, which this engine does not have; use an API key';
  throw new SimpleAgentsError('configuration', message);
}
