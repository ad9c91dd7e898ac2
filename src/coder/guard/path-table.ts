// Paths with a special meaning, as data.

/** System folders, and how many levels of them belong to the system. Deeper paths are only outside the workspace. */
export const systemDepth: Readonly<Record<string, number>> = {
  bin: 99,
  boot: 99,
  dev: 99,
  etc: 99,
  lib: 99,
  lib32: 99,
  lib64: 99,
  libx32: 99,
  proc: 99,
  sbin: 99,
  sys: 99,
  System: 99,
  Library: 99,
  usr: 99,
  'usr/local': 3,
  'usr/src': 2,
  var: 3,
  'var/log': 2,
  'var/tmp': 2,
  'var/www': 2,
  run: 2,
  nix: 2,
  opt: 1,
  srv: 1,
  mnt: 2,
  media: 2,
  snap: 2,
  home: 2,
  Users: 2,
  tmp: 1,
  Applications: 2,
  Volumes: 2,
  private: 2,
  'lost+found': 99,
};

export const temporaryFolders: readonly string[] = ['/tmp', '/var/tmp', '/private/tmp', '/var/folders'];

export const harmlessDevices: ReadonlySet<string> = new Set([
  'null',
  'zero',
  'full',
  'random',
  'urandom',
  'stdin',
  'stdout',
  'stderr',
  'fd',
  'tty',
]);

/** Absolute paths that contain secrets. */
export const secretPaths: readonly RegExp[] = [
  /\/\.(ssh|aws|azure|gnupg|kube|docker|gcloud|password-store|mozilla|netrc|git-credentials|pgpass|vault-token)(\/|$)/,
  /\/\.config\/(gh|gcloud|hub|op|rclone|github-copilot|google-chrome|chromium|BraveSoftware)(\/|$)/,
  /\/\.(bash|zsh|python|psql|mysql|node_repl)_history$/,
  /\/(id_rsa|id_ed25519|id_ecdsa|id_dsa)$/,
  /^\/etc\/(g?shadow|sudoers|ssl\/private)(-|\/|\.|$)/,
  /^\/proc\/[^/]+\/(environ|mem|maps|cmdline|fd|root|cwd)(\/|$)/,
  /\/Library\/(Keychains|Cookies)(\/|$)/,
  /^\/root\/\.(npmrc|pypirc)$/,
  /^\/(home|Users)\/[^/]+\/\.(npmrc|pypirc)$/,
];

/** Paths in a workspace that are executed or used as settings later, or are sessions; relative to it or a nested repository. */
export const protectedPaths: readonly RegExp[] = [
  /(^|\/)\.git(\/(?!index\.lock$|COMMIT_EDITMSG$|MERGE_MSG$)|$)/,
  /(^|\/)\.(agent|agents|claude|codex|cursor|forgeflare|gemini|opencode|pi)(\/|$)/,
  /(^|\/)\.(npmrc|yarnrc|yarnrc\.yml|pnpmfile\.cjs|envrc|mcp\.json|bashrc|profile|bash_profile|zshrc|zshenv|gitconfig)$/,
  /^\.(config|local)(\/|$)/,
  /(^|\/)\.entire(\/metadata(\/|$)|$)/,
  /(^|\/)\.(vscode|idea)\/(tasks|settings|launch)\.json$/,
];
