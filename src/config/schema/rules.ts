// What a value must satisfy beyond being of its type. A rule answers with what is wrong and how to right it,
// or with nothing. Invariant: a text that may hold a secret is never repeated in the answer.

import { errorTable } from '../../core/error.ts';
import { keyScopes } from '../../core/gateway-key.ts';
import { didYouMean } from '../../core/suggest.ts';
import { longestTimer } from './duration.ts';

export type ValueRule<T> = (value: T) => string | undefined;

/** Nothing is a length too: it means no limit. */
export const checkTimeout: ValueRule<number> = (milliseconds) =>
  milliseconds > longestTimer ? 'must be shorter than 24 days; "0s" means no limit' : undefined;

export const checkPositiveDuration: ValueRule<number> = (milliseconds) =>
  milliseconds > 0 ? undefined : 'must be longer than nothing';

export const checkDeadline: ValueRule<number> = (milliseconds) =>
  milliseconds > longestTimer ? 'must be shorter than 24 days' : checkPositiveDuration(milliseconds);
export const checkPositiveTimeout: ValueRule<number> = (milliseconds) =>
  milliseconds > 0 ? checkTimeout(milliseconds) : 'must be longer than nothing, such as "15s"';

export const checkPositive: ValueRule<number> = (value) => (value > 0 ? undefined : 'must be at least 1');

export const checkNotNegative: ValueRule<number> = (value) => (value >= 0 ? undefined : 'must be 0 or more');

export const checkAboveZero: ValueRule<number> = (value) => (value > 0 ? undefined : 'must be more than 0');

export const checkAtLeastOne: ValueRule<number> = (value) => (value >= 1 ? undefined : 'must be 1 or more');

export const checkFraction: ValueRule<number> = (value) =>
  value >= 0 && value <= 1 ? undefined : 'must be from 0 to 1';

export const checkTemperature: ValueRule<number> = (value) =>
  value >= 0 && value <= 2 ? undefined : 'must be from 0 to 2';

export const checkPrice: ValueRule<number> = (dollars) =>
  dollars >= 0 ? undefined : 'must be 0 or more: US dollars for a million tokens';

export const checkNotEmpty: ValueRule<string> = (text) => (text.trim() === '' ? 'must not be empty' : undefined);

export const checkNoneEmpty: ValueRule<readonly string[]> = (texts) =>
  texts.map(checkNotEmpty).find((problem) => problem !== undefined);

export const checkProviderName: ValueRule<string> = (name) =>
  /^[^\s/]+$/.test(name) ? undefined : 'must be one word without a slash: it stands before the slash in provider/model';

export const checkKeyVariable: ValueRule<string> = (name) =>
  isVariableName(name)
    ? undefined
    : 'must be the name of an environment variable, such as "OPENAI_API_KEY", never the key itself';

export const checkUrlVariable: ValueRule<string> = (name) =>
  isVariableName(name)
    ? undefined
    : 'must be the name of an environment variable, such as "REDIS_URL", never the address itself';

function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

export const checkTargets: ValueRule<readonly string[]> = (targets) => {
  if (targets.length === 0) return 'must name at least one target, such as "openai/gpt-4o"';
  const wrong = targets.find((target) => !/^[^\s/]+\/\S/.test(target));
  if (wrong === undefined) return undefined;
  return `${JSON.stringify(wrong)} does not say which provider; write provider/model, such as "openai/gpt-4o"`;
};

/** A pattern would be a name that no call has. It would do nothing, silently. */
export const checkExactName: ValueRule<string> = (name) =>
  name.includes('*')
    ? `${JSON.stringify(name)} is a pattern, and model names are matched exactly; write the name of each model`
    : undefined;

export const checkWeights: ValueRule<readonly number[]> = (weights) =>
  weights.map(checkAboveZero).find((problem) => problem !== undefined);

const errorKinds = Object.keys(errorTable);

export const checkErrorKinds: ValueRule<readonly string[]> = (kinds) => {
  const wrong = kinds.find((kind) => !errorKinds.includes(kind));
  if (wrong === undefined) return undefined;
  const fix = didYouMean(wrong, errorKinds) || `; the kinds are ${errorKinds.join(', ')}`;
  return `${JSON.stringify(wrong)} is no kind of error${fix}`;
};

export const checkExtraHeaders: ValueRule<Readonly<Record<string, string>>> = (headers) => {
  for (const [name, value] of Object.entries(headers)) {
    if (isCredential(name)) return `${name} would hold a key; put the key in the variable that api_key_env names`;
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return `${JSON.stringify(name)} cannot be the name of a header`;
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) return `the value of ${name} holds a character no header can carry`;
  }
  return undefined;
};

function isCredential(header: string): boolean {
  return /authorization|cookie|(^|[-_])(auth|(api)?key|token|secret|password)$/i.test(header);
}

/** An address a request can be sent to. */
export const checkHttpUrl: ValueRule<string> = (text) => {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return undefined;
  return 'must be an http or https URL, such as "https://api.example.com/v1"';
};

/** An address that can stand in a file others may read. */
export const checkPlainUrl: ValueRule<string> = (text) => {
  const url = URL.parse(text);
  const hasLogin = url !== null && (url.username !== '' || url.password !== '');
  return hasLogin ? 'must not hold a user or a password' : checkHttpUrl(text);
};

export const checkRedisUrl: ValueRule<string> = (text) =>
  /^rediss?:$/.test(URL.parse(text)?.protocol ?? '')
    ? undefined
    : 'must be a redis or rediss URL, such as "redis://127.0.0.1:6379"';

export const checkIpAddress: ValueRule<string> = (text) => {
  const isIpv4 = /^(?:\d{1,3}\.){3}\d{1,3}$/.test(text) && URL.parse(`http://${text}`)?.hostname === text;
  const isIpv6 = text.includes(':') && URL.canParse(`http://[${text}]`);
  return isIpv4 || isIpv6 ? undefined : 'must be an IP address, such as "192.0.2.10"';
};

export const checkPort: ValueRule<number> = (port) =>
  port >= 0 && port <= 65_535 ? undefined : 'must be from 0 to 65535';

const digestForm = /^[0-9a-f]{64}$/i;

export const checkDigest: ValueRule<string> = (digest) =>
  digestForm.test(digest)
    ? undefined
    : 'must be the SHA-256 of the key, 64 hexadecimal digits, never the key itself: printf %s "$KEY" | sha256sum';

export const checkDigests: ValueRule<readonly string[]> = (digests) =>
  digests.every((digest) => digestForm.test(digest))
    ? undefined
    : 'must hold the SHA-256 of each key, 64 hexadecimal digits, never the key itself: printf %s "$KEY" | sha256sum';

/** It is written into logs and metrics, so a key in its place must not pass: keys are longer, or random. */
export const checkKeyName: ValueRule<string> = (name) =>
  /^[\w.@-]{1,40}$/.test(name)
    ? undefined
    : 'must have 1 to 40 letters, digits, "-", "_", "." or "@", such as "billing-service", never the key itself';

export const checkScopes: ValueRule<readonly string[]> = (scopes) => {
  if (scopes.length === 0) return `must name at least one of ${keyScopes.join(', ')}`;
  const wrong = scopes.find((scope) => !(keyScopes as readonly string[]).includes(scope));
  if (wrong === undefined) return undefined;
  const fix = didYouMean(wrong, keyScopes) || `; the scopes are ${keyScopes.join(', ')}`;
  return `${JSON.stringify(wrong)} is not a scope${fix}`;
};

export const checkOrigins: ValueRule<readonly string[]> = (origins) => {
  const wrong = origins.find((origin) => !/^[a-z][a-z0-9+.-]*:\/\/[^/\s?#@]+$/i.test(origin));
  if (wrong === undefined) return undefined;
  return `${JSON.stringify(wrong)} is no origin; write scheme://host or scheme://host:port, such as "https://app.example.com"`;
};

export const checkHosts: ValueRule<readonly string[]> = (hosts) => {
  const wrong = hosts.find((host) => !/^(?:[a-z0-9][a-z0-9._-]*|\[[0-9a-f:.]+\])$/i.test(host));
  if (wrong === undefined) return undefined;
  return `${JSON.stringify(wrong)} is no name of a host; write it without scheme and port, such as "gateway.example.com"`;
};
