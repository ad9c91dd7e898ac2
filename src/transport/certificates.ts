// The certificates of outgoing TLS connections: additional certificate authorities, and a client certificate.

import { readFile } from 'node:fs/promises';
import type * as Tls from 'node:tls';
import { SimpleAgentsError } from '../core/error.ts';

/** Paths of PEM files. */
export interface CertificateFiles {
  /** Certificate authorities that are trusted in addition to Node's defaults. */
  readonly caFile?: string;
  /** The certificate that identifies this client to servers, with its chain; needs `clientKeyFile`. */
  readonly clientCertFile?: string;
  readonly clientKeyFile?: string;
}

/** `undefined` if no file is set: Node's default context then applies. `tls` is Node's module, loaded when needed. */
export async function loadSecureContext(
  files: CertificateFiles,
  tls: () => typeof Tls,
): Promise<Tls.SecureContext | undefined> {
  const { caFile, clientCertFile, clientKeyFile } = files;
  if ((clientCertFile === undefined) !== (clientKeyFile === undefined)) {
    const [missing, given] =
      clientCertFile === undefined ? ['clientCertFile', 'clientKeyFile'] : ['clientKeyFile', 'clientCertFile'];
    throw new SimpleAgentsError('configuration', `network.${given} is set without ${missing}; set both`, {
      field: missing,
    });
  }
  if (caFile === undefined && clientCertFile === undefined) return undefined;
  const { createSecureContext, getCACertificates } = tls();
  const ca = caFile === undefined ? undefined : await load(caFile, 'caFile', isCertificate);
  const cert = clientCertFile && (await load(clientCertFile, 'clientCertFile', isCertificate));
  const key = clientKeyFile && (await load(clientKeyFile, 'clientKeyFile', isKey));
  try {
    return createSecureContext({
      ...(ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }),
      ...(cert ? { cert } : {}),
      ...(key ? { key } : {}),
    });
  } catch (error) {
    const names = [caFile, clientCertFile, clientKeyFile].filter((file) => file !== undefined).join(', ');
    const message = `the certificates cannot be used (${(error as Error).message}); check ${names}`;
    throw new SimpleAgentsError('configuration', message, { cause: error });
  }
}

const isCertificate = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/;
const isKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** Checks the content, because OpenSSL silently ignores a CA file without certificates. */
async function load(file: string, field: keyof CertificateFiles, form: RegExp): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw wrongFile(field, `${file} cannot be read (${error.code})`);
  });
  if (form.test(text)) return text;
  const what = form === isKey ? 'private key' : 'certificate';
  throw wrongFile(field, `${file} contains no ${what} in PEM format`);
}

const keys = { caFile: 'ca_file', clientCertFile: 'client_cert_file', clientKeyFile: 'client_key_file' } as const;

function wrongFile(field: keyof CertificateFiles, problem: string): SimpleAgentsError {
  const place = `in the configuration file ${keys[field]} under [network]`;
  return new SimpleAgentsError('configuration', `network.${field}, ${place}: ${problem}`, { field });
}
