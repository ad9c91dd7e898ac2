// The shared files of Amazon's tools, `~/.aws/credentials` and `~/.aws/config`, and how a profile in them gets credentials.

import { omitUndefined } from '../../core/json.ts';
import type { ExpiringAwsCredentials, RoleSource } from './aws-credentials.ts';
import type { CredentialHost } from './credential-host.ts';

export type Profile = Readonly<Record<string, string>>;

export interface ProfileFiles {
  readonly profiles: Readonly<Record<string, Profile>>;
  /** The files, for messages. */
  readonly shown: string;
}

/** Read at every load, because other programs rotate the keys in them. */
export async function readProfileFiles(host: CredentialHost): Promise<ProfileFiles> {
  const home = host.variable('HOME') ?? host.variable('USERPROFILE') ?? '';
  const config = host.variable('AWS_CONFIG_FILE') ?? `${home}/.aws/config`;
  const credentials = host.variable('AWS_SHARED_CREDENTIALS_FILE') ?? `${home}/.aws/credentials`;
  const inConfig = parseProfiles((await host.readText(config)) ?? '', /^(?:profile\s+(.+)|(default))$/);
  const inCredentials = parseProfiles((await host.readText(credentials)) ?? '', /^(.+)$/);
  const names = new Set([...Object.keys(inConfig), ...Object.keys(inCredentials)]);
  // Keys of the credentials file win.
  const profiles = Array.from(names, (name) => [name, { ...inConfig[name], ...inCredentials[name] }] as const);
  return { profiles: Object.fromEntries(profiles), shown: `${credentials} and ${config}` };
}

function parseProfiles(text: string, heading: RegExp): Record<string, Record<string, string>> {
  const profiles: Record<string, Record<string, string>> = {};
  let current: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.trim();
    if (section !== undefined) {
      const match = heading.exec(section);
      const name = (match?.[1] ?? match?.[2])?.trim().replace(/^(["'])(.*)\1$/, '$2');
      current = name === undefined ? undefined : (profiles[name] ??= {});
      continue;
    }
    // An indented line belongs to the setting above it, and none of those is needed.
    const [, key, value] = /^([^\s#;=][^=]*?)\s*=\s*(.*?)(?:\s+[#;].*)?\s*$/.exec(line) ?? [];
    if (current !== undefined && key !== undefined && value !== undefined) current[key.toLowerCase()] = value;
  }
  return profiles;
}

export type ProfilePlan =
  | { readonly type: 'keys'; readonly credentials: ExpiringAwsCredentials }
  | {
      readonly type: 'role';
      readonly roleArn: string;
      readonly source: RoleSource;
      readonly session?: string;
      readonly externalId?: string;
      readonly duration?: string;
    }
  | { readonly type: 'web-identity'; readonly roleArn: string; readonly tokenFile: string; readonly session?: string }
  | { readonly type: 'unsupported'; readonly feature: string; readonly advice: string }
  | { readonly type: 'none' };

/** A role wins over keys, as in the official SDKs. */
export function loadProfile(name: string, profile: Profile): ProfilePlan {
  const {
    'role_arn': roleArn,
    'source_profile': sourceProfile,
    'credential_source': named,
    'role_session_name': session,
  } = profile;
  const { 'web_identity_token_file': tokenFile, 'external_id': externalId, 'duration_seconds': duration } = profile;
  if (roleArn !== undefined && tokenFile !== undefined) {
    return omitUndefined({ type: 'web-identity', roleArn, tokenFile, session });
  }
  if (roleArn !== undefined && profile['mfa_serial'] !== undefined) {
    return { type: 'unsupported', feature: 'mfa_serial', advice: exportAdvice(name) };
  }
  if (roleArn !== undefined && (sourceProfile !== undefined || named !== undefined)) {
    const source: RoleSource =
      sourceProfile === undefined ? { type: 'named', name: named ?? '' } : { type: 'profile', profile: sourceProfile };
    return omitUndefined({ type: 'role', roleArn, source, session, externalId, duration });
  }
  const {
    'aws_access_key_id': accessKeyId,
    'aws_secret_access_key': secretAccessKey,
    'aws_session_token': sessionToken,
  } = profile;
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return { type: 'keys', credentials: omitUndefined({ accessKeyId, secretAccessKey, sessionToken }) };
  }
  const feature = ['credential_process', 'sso_session', 'sso_start_url', 'login_session'].find((key) => key in profile);
  return feature === undefined ? { type: 'none' } : { type: 'unsupported', feature, advice: exportAdvice(name) };
}

function exportAdvice(name: string): string {
  return `run eval "$(aws configure export-credentials --profile ${name} --format env)" first`;
}
