// The environment for the agent's commands: without secrets, and without variables that make programs run or load code. It
// is scrubbed before spawning, because bubblewrap's --clearenv leaves the original readable in /proc/1/environ.

import type { Environment } from '../../config/environment.ts';

const secretName =
  /(^|_)(KEY|APIKEY|ACCESSKEY|TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASS|PASSPHRASE|CREDENTIALS?|AUTH|PAT|DSN|COOKIE|SESSION)(_|$)|^(AWS|AZURE|GOOGLE_APPLICATION|VAULT)_/i;

/** Names that match `secretName` but are harmless. */
const harmlessName = /^(XDG_SESSION_\w+|TERM_SESSION_ID|DESKTOP_SESSION|AWS_(DEFAULT_)?REGION|GPG_TTY|KEYBOARD\w*)$/;

/** Variables that give access to something outside the sandbox, or that affect every program. */
const reaching =
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_\w+|DOCKER_HOST|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|LD_\w+|DYLD_\w+|BASH_ENV|ENV|BASH_FUNC_.*|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|PERL5OPT|RUBYOPT|PYTHONSTARTUP|GIT_(SSH|SSH_COMMAND|ASKPASS|CONFIG\w*|EXEC_PATH|PROXY_COMMAND)|SUDO_\w+|NODE_OPTIONS)$/;

const secretValue =
  /\b(sk-[\w-]{16,}|gh[opsu]_\w{20,}|github_pat_\w+|xox[abp]-|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{20,}\.)|-----BEGIN|:\/\/[^/\s:@]+:[^/\s@]+@/;

export interface ScrubOptions {
  /** Known secrets, such as the provider's key. Variables that contain one are removed. */
  readonly secrets?: readonly string[];
  /** Variables to keep in any case. */
  readonly keep?: readonly string[];
}

export function scrubEnvironment(
  environment: Environment,
  { secrets = [], keep = [] }: ScrubOptions = {},
): Record<string, string> {
  const known = secrets.filter((secret) => secret.length >= 6);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    const isSecret =
      (secretName.test(name) && !harmlessName.test(name)) ||
      secretValue.test(value) ||
      known.some((secret) => value.includes(secret));
    if (keep.includes(name) || !(isSecret || reaching.test(name))) kept[name] = value;
  }
  return kept;
}
