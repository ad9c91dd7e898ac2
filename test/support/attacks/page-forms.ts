// What a browser sends for pages that must not use the gateway, as data: pages of other origins, and pages whose host name
// was made to point at this machine.

export type Headers = Readonly<Record<string, string>>;

/** `port`: that of the gateway. */
export function foreignOrigins(port: string): readonly string[] {
  return [
    'https://evil.example',
    'http://evil.example',
    `http://evil.example:${port}`,
    'null',
    'NULL',
    'file://',
    'about:blank',
    'data:',
    'chrome-extension://abcdefghijklmnop',
    'moz-extension://abcdefgh',
    'vscode-webview://abcdef',
    'capacitor://localhost',
    'http://localhost',
    `http://localhost:${port}`,
    `http://127.0.0.1`,
    `http://127.0.0.1:${port}0`,
    `http://127.0.0.1:${Number(port) - 1}`,
    `http://127.0.0.1:${port}.evil.example`,
    `http://127.0.0.1.evil.example:${port}`,
    `http://127.0.0.1:${port}@evil.example`,
    `http://evil.example#127.0.0.1:${port}`,
    `http://evil.example/127.0.0.1:${port}`,
    `http://[::1]:${port}`,
    `http://[::ffff:127.0.0.1]:${port}`,
    `http://0.0.0.0:${port}`,
    `http://2130706433:${port}`,
    `ws://127.0.0.1:${port}`,
    `ftp://127.0.0.1:${port}`,
    `http:/127.0.0.1:${port}`,
    `//127.0.0.1:${port}`,
    `127.0.0.1:${port}`,
    `http://127.0.0.1:${port}/`,
    `http://127.0.0.1:${port} http://evil.example`,
    `http://evil.example, http://127.0.0.1:${port}`,
    `http://evil.example;http://127.0.0.1:${port}`,
    '*',
    '   ',
    'undefined',
    'http://',
    'http://app.example.com.evil.example',
    'https://app.example.com:8443',
    'http://app.example.com',
    'https://APP.example.com.evil',
    'https://sub.app.example.com',
    'https://app.example.com/',
    'https://app-example.com',
    'https://app.example.comx',
  ];
}

/** Host names that resolve to this machine, as in DNS rebinding. */
export function rebindingHosts(port: string): readonly string[] {
  return [
    'evil.example',
    `evil.example:${port}`,
    `7f000001.c0a80001.rbndr.us:${port}`,
    `127.0.0.1.nip.io:${port}`,
    `localtest.me:${port}`,
    `lvh.me:${port}`,
    `localhost.localdomain:${port}`,
    `localhost.evil.example:${port}`,
    `localhost-evil.example:${port}`,
    `127.0.0.1.:${port}`,
    `a.localhost:${port}`,
    `gateway.example.com.evil.example`,
    `xgateway.example.com`,
    `0.0.0.0:${port}`,
    `0:${port}`,
    `128.0.0.1:${port}`,
    `10.0.0.1:${port}`,
    `169.254.169.254`,
    `[::]:${port}`,
    `[fe80::1]:${port}`,
    `host.docker.internal:${port}`,
    `kubernetes.default.svc`,
  ];
}

/** Requests without an origin, but with fetch metadata. */
export const foreignFetches: readonly Headers[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'websocket' },
  { 'sec-fetch-site': 'CROSS-SITE' },
  { 'sec-fetch-site': 'unheard-of' },
  { 'sec-fetch-site': 'same-origin, cross-site' },
];
