// The environment of server processes by default: what programs need to run, and nothing that may be a secret.

const inherited =
  /^(HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+_(HOME|DIR)|(HTTPS?|NO|ALL)_PROXY|APPDATA|COMSPEC|HOMEDRIVE|HOMEPATH|LOCALAPPDATA|PATHEXT|PROGRAMDATA|PROGRAMFILES.*|SYSTEMDRIVE|SYSTEMROOT|USERNAME|USERPROFILE|WINDIR)$/i;
/** A proxy's address may contain a password. */
const hasPassword = /:\/\/[^/\s]*@/;

export function toServerEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && inherited.test(name) && !hasPassword.test(value)) kept[name] = value;
  }
  return kept;
}
