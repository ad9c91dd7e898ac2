// Rules for values beyond their type. A rule returns what is wrong and how to fix it, or undefined. Invariant: a message
// never repeats a text that may contain a secret.

import { errorTable } from '../../core/error.ts';
import { emptyKeyProblem, isHashOfNothing, keyScopes } from '../../core/gateway-key.ts';
import { didYouMean } from '../../core/suggest.ts';
import { isRegion } from '../../providers/auth/aws-region.ts';
import { longestTimer } from './duration.ts';

export type ValueRule<T> = (value: T) => string | undefined;

/** 0 means no limit. */
export const checkTimeout: ValueRule<number> = (milliseconds) =>
  milliseconds > longestTimer ? 'must be shorter than 24 days; "0s" means no limit' : undefined;

export const checkPositiveDuration: ValueRule<number> = (milliseconds) =>
  milliseconds > 0 ? undefined : 'must be greater than 0, such as "15s"';

/** For a timer that must be set: 0 is not allowed. */
export const checkPositiveTimeout: ValueRule<number> = (milliseconds) =>
  milliseconds > longestTimer ? 'must be shorter than 24 days' : checkPositiveDuration(milliseconds);

export const checkPositive: ValueRule<number> = (value) => (value > 0 ? undefined : 'must be at least 1');

export const checkNotNegative: ValueRule<number> = (value) => (value >= 0 ? undefined : 'must be at least 0');

export const checkAboveZero: ValueRule<number> = (value) => (value > 0 ? undefined : 'must be greater than 0');

export const checkAtLeastOne: ValueRule<number> = (value) => (value >= 1 ? undefined : 'must be at least 1');

export const checkFraction: ValueRule<number> = (value) =>
  value >= 0 && value <= 1 ? undefined : 'must be between 0 and 1';

export const checkTemperature: ValueRule<number> = (value) =>
  value >= 0 && value <= 2 ? undefined : 'must be between 0 and 2';

export const checkPrice: ValueRule<number> = (dollars) =>
  dollars >= 0 ? undefined : 'must be at least 0: it is in US dollars per million tokens';

export const checkNotEmpty: ValueRule<string> = (text) => (text.trim() === '' ? 'must not be empty' : undefined);

export const checkNoneEmpty: ValueRule<readonly string[]> = (texts) =>
  texts.map(checkNotEmpty).find((problem) => problem !== undefined);

export const checkRegion: ValueRule<string> = (region) =>
  isRegion(region) ? undefined : 'must be the name of an AWS region, such as us-east-1';

export const checkProviderName: ValueRule<string> = (name) =>
  /^[^\s/]+$/.test(name)
    ? undefined
    : 'must be one word without a slash, because it is the first part of provider/model';

export const checkProviderNames: ValueRule<readonly string[]> = (names) => {
  if (names.length === 0) return 'must name at least one provider, such as "openai"';
  return names.map(checkProviderName).find((problem) => problem !== undefined);
};

export const checkKeyVariable: ValueRule<string> = (name) =>
  isVariableName(name)
    ? undefined
    : 'must be the name of an environment variable, such as "OPENAI_API_KEY", not the key itself';

export const checkUrlVariable: ValueRule<string> = (name) =>
  isVariableName(name)
    ? undefined
    : 'must be the name of an environment variable, such as "REDIS_URL", not the URL itself';

function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

export const checkTargets: ValueRule<readonly string[]> = (targets) => {
  if (targets.length === 0) return 'must name at least one target, such as "openai/gpt-4o"';
  const wrong = targets.find((target) => !/^[^\s/]+\/\S/.test(target));
  if (wrong === undefined) return undefined;
  return `${JSON.stringify(wrong)} names no provider; write provider/model, such as "openai/gpt-4o"`;
};

/** The name of an alias may have one `*`; then its targets may have one too, in the model's name. */
export function checkAliasPattern(alias: string, targets: readonly string[]): string | undefined {
  const wrong = [alias, ...targets].find((name) => name.indexOf('*') !== name.lastIndexOf('*'));
  if (wrong !== undefined) return `${JSON.stringify(wrong)} has more than one *; write one`;
  const starred = targets.find((target) => target.includes('*'));
  if (starred === undefined) return undefined;
  if (!alias.includes('*'))
    return `${JSON.stringify(starred)} has a *, but the alias ${JSON.stringify(alias)} has none`;
  return starred.split('/', 1)[0]?.includes('*')
    ? `${JSON.stringify(starred)} has a * in the provider's name; write the name of one provider`
    : undefined;
}

/** A pattern would never match a name, and would be ignored silently. */
export const checkExactName: ValueRule<string> = (name) =>
  name.includes('*')
    ? `${JSON.stringify(name)} is a pattern, but only aliases, such as [models."claude-*"], may be one; write the full name`
    : undefined;

export const checkWeights: ValueRule<readonly number[]> = (weights) =>
  weights.map(checkAboveZero).find((problem) => problem !== undefined);

const errorKinds = Object.keys(errorTable);

export const checkErrorKinds: ValueRule<readonly string[]> = (kinds) => {
  const wrong = kinds.find((kind) => !errorKinds.includes(kind));
  if (wrong === undefined) return undefined;
  const fix = didYouMean(wrong, errorKinds) || `; the error kinds are ${errorKinds.join(', ')}`;
  return `${JSON.stringify(wrong)} is not an error kind${fix}`;
};

export const checkExtraHeaders: ValueRule<Readonly<Record<string, string>>> = (headers) => {
  for (const [name, value] of Object.entries(headers)) {
    if (isCredential(name))
      return `${name} would contain an API key; put the key in an environment variable and set api_key_env to its name`;
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return `${JSON.stringify(name)} is not a valid header name`;
    // oxlint-disable-next-line no-control-regex -- matches control characters on purpose
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      return `the value of ${name} contains a character that is not allowed in a header`;
  }
  return undefined;
};

function isCredential(header: string): boolean {
  return /authorization|cookie|(^|[-_])(auth|(api)?key|token|secret|password)$/i.test(header);
}

/** A URL that a request can be sent to. */
export const checkHttpUrl: ValueRule<string> = (text) => {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return undefined;
  return 'must be an http or https URL, such as "https://api.example.com/v1"';
};

/** A URL without credentials, so that it may be in a file that others can read. */
export const checkPlainUrl: ValueRule<string> = (text) => {
  const url = URL.parse(text);
  const hasLogin = url !== null && (url.username !== '' || url.password !== '');
  return hasLogin ? 'must not contain a user name or password' : checkHttpUrl(text);
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
  port >= 0 && port <= 65_535 ? undefined : 'must be between 0 and 65535';

const digestForm = /^[0-9a-f]{64}$/i;

export const checkDigest: ValueRule<string> = (digest) => {
  if (isHashOfNothing(digest)) return emptyKeyProblem;
  return digestForm.test(digest)
    ? undefined
    : 'must be the SHA-256 hash of the key (64 hexadecimal digits), not the key itself: printf %s "$KEY" | sha256sum';
};

export const checkDigests: ValueRule<readonly string[]> = (digests) => {
  const empty = digests.findIndex(isHashOfNothing);
  if (empty !== -1) return `entry ${empty + 1} ${emptyKeyProblem}`;
  return digests.every((digest) => digestForm.test(digest))
    ? undefined
    : 'must contain the SHA-256 hash of each key (64 hexadecimal digits), not the key itself: printf %s "$KEY" | sha256sum';
};

/** Logs and metrics contain the name, so a key given by mistake must be rejected: keys are longer. */
export const checkKeyName: ValueRule<string> = (name) =>
  /^[\w.@-]{1,40}$/.test(name)
    ? undefined
    : 'must have 1 to 40 letters, digits, "-", "_", "." or "@", such as "billing-service", and must not be the key itself';

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
  return `${JSON.stringify(wrong)} is not an origin; write scheme://host or scheme://host:port, such as "https://app.example.com"`;
};

export const checkHosts: ValueRule<readonly string[]> = (hosts) => {
  const wrong = hosts.find((host) => !/^(?:[a-z0-9][a-z0-9._-]*|\[[0-9a-f:.]+\])$/i.test(host));
  if (wrong === undefined) return undefined;
  return `${JSON.stringify(wrong)} is not a host name; write it without scheme and port, such as "gateway.example.com"`;
};
