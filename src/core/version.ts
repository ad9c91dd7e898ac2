// The version of this package, for `--version` and the user agent. A test holds it to package.json.

export const version = '0.1.0';
