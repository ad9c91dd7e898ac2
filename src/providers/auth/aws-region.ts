// The AWS region of a provider: from its settings, the environment or the profile. The address of the service depends on
// it.

import { SimpleAgentsError } from '../../core/error.ts';
import { readProfileFiles } from './aws-profile.ts';
import type { CredentialHost } from './credential-host.ts';

export function isRegion(text: string): boolean {
  return /^[a-z]{2,}(?:-[a-z]+)+-\d+$/.test(text);
}

/** The region of the environment, else of the profile. */
export async function loadAwsRegion(host: CredentialHost, profile?: string): Promise<string | undefined> {
  const named = host.variable('AWS_REGION') ?? host.variable('AWS_DEFAULT_REGION');
  if (named !== undefined) return named;
  const files = await readProfileFiles(host);
  return files.profiles[profile ?? host.variable('AWS_PROFILE') ?? 'default']?.['region'];
}

export function throwNoRegion(): never {
  const advice = 'set AWS_REGION, the region of the profile, or `region` of the provider';
  throw new SimpleAgentsError('configuration', `no AWS region found; ${advice}`, { field: 'region' });
}

export interface RegionSettings {
  readonly region?: string;
  readonly profile?: string;
}

/** The URL with its region; undefined if the URL has no place for one. */
export async function regionalUrl(
  url: string | undefined,
  { region: configured, profile }: RegionSettings,
  host: CredentialHost | undefined,
): Promise<string | undefined> {
  if (!url?.includes('{region}')) return undefined;
  const region = configured ?? (host && (await loadAwsRegion(host, profile))) ?? throwNoRegion();
  if (!isRegion(region)) {
    const problem = `${JSON.stringify(region)} is not the name of an AWS region, such as us-east-1`;
    throw new SimpleAgentsError('configuration', `region: ${problem}`, { field: 'region' });
  }
  const regional = url.replace('{region}', region);
  // The regions in China have a domain of their own.
  return region.startsWith('cn-') ? regional.replace('.amazonaws.com', '.amazonaws.com.cn') : regional;
}
