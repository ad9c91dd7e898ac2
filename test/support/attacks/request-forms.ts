// Malformed requests, as data: what a hostile or confused client, or a proxy that reads HTTP differently, may send. A
// lenient server would read each as a model call.

const body = '{"model":"openai/m","messages":[{"role":"user","content":"hi"}]}';
const length = `Content-Length: ${body.length}`;
const json = 'Content-Type: application/json';
const chat = '/v1/chat/completions';
const hexLength = body.length.toString(16);
const chunks = `${hexLength}\r\n${body}\r\n0\r\n\r\n`;
const smuggled = `POST ${chat} HTTP/1.1\r\nHost: localhost\r\n${json}\r\n${length}\r\n\r\n${body}`;

interface Parts {
  readonly line?: string;
  readonly host?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** A model call with the given parts replaced. */
export function requestOf({
  line = `POST ${chat} HTTP/1.1`,
  host = 'Host: localhost',
  headers = [length],
  body: content = body,
}: Parts = {}): string {
  const head = [line, ...(host === '' ? [] : [host]), json, ...headers];
  return `${head.join('\r\n')}\r\n\r\n${content}`;
}

const line = (text: string) => requestOf({ line: text });
const host = (text: string) => requestOf({ host: text });
const header = (...more: string[]) => requestOf({ headers: [length, ...more] });
const framed = (headers: readonly string[], content: string) => requestOf({ headers, body: content });
const chunked = (content: string) => framed(['Transfer-Encoding: chunked'], content);

export const requestForms: Readonly<Record<string, string>> = {
  // The host.
  'no host': host(''),
  'no host, HTTP/1.0': requestOf({ line: `POST ${chat} HTTP/1.0`, host: '' }),
  'an empty host': host('Host:'),
  'a host of spaces': host('Host:   '),
  'two hosts': host('Host: localhost\r\nHost: evil.example'),
  'two equal hosts': host('Host: localhost\r\nHost: localhost'),
  'two hosts, one empty': host('Host:\r\nHost: localhost'),
  'two hosts in one header': host('Host: localhost, evil.example'),
  'another host': host('Host: evil.example'),
  'a host with ours in front': host('Host: localhost.evil.example'),
  'a host with ours behind': host('Host: evil.localhost'),
  'a host with a trailing dot': host('Host: localhost.'),
  'a host with a user': host('Host: localhost@evil.example'),
  'our host behind a user': host('Host: evil.example@localhost'),
  'a host with a path': host('Host: localhost/evil.example'),
  'a host with a query': host('Host: localhost?evil.example'),
  'a host with a fragment': host('Host: localhost#evil.example'),
  'a host with a backslash': host('Host: localhost\\evil.example'),
  'a host with a scheme': host('Host: http://localhost'),
  'a host with a space': host('Host: localhost evil.example'),
  'a host with a tab': host('Host: localhost\tevil.example'),
  'a host with a NUL': host('Host: localhost\0'),
  'a host with a comma': host('Host: localhost,'),
  'a host with a percent': host('Host: %6cocalhost'),
  'a host with non-ASCII characters': host('Host: lõcalhost'),
  'a host with a letter-like symbol': host('Host: ⓛocalhost'),
  'a port that is not a number': host('Host: localhost:http'),
  'two ports': host('Host: localhost:80:90'),
  'a port without digits': host('Host: localhost:'),
  'a negative port': host('Host: localhost:-1'),
  'a port too large': host('Host: localhost:123456'),
  'an address as a number': host('Host: 2130706433'),
  'an address in hex': host('Host: 0x7f000001'),
  'an address in octal': host('Host: 0177.0.0.1'),
  'a short address': host('Host: 127.1'),
  'the unspecified address': host('Host: 0.0.0.0'),
  'another IPv6 address': host('Host: [::ffff:127.0.0.1]'),
  'an address with a zone': host('Host: [::1%25eth0]'),
  'an address without a closing bracket': host('Host: [::1'),
  'an address without brackets': host('Host: ::1'),
  'a space before the colon': host('Host : localhost'),
  'a space before the name': host(' Host: localhost'),
  'a folded host': host('Host: local\r\n host'),
  'a host in a forwarding header': host('X-Forwarded-Host: localhost'),
  'a host in another header': host('X-Host: localhost\r\nForwarded: host=localhost'),
  // The request line.
  'absolute form': line(`POST http://evil.example${chat} HTTP/1.1`),
  'absolute form with our host': line(`POST http://localhost${chat} HTTP/1.1`),
  'absolute form with another scheme': line(`POST ftp://localhost${chat} HTTP/1.1`),
  'absolute form without a scheme': line(`POST localhost${chat} HTTP/1.1`),
  'authority form': line('POST localhost:80 HTTP/1.1'),
  'CONNECT': requestOf({ line: 'CONNECT 127.0.0.1:80 HTTP/1.1' }),
  'CONNECT with our path': line(`CONNECT ${chat} HTTP/1.1`),
  'TRACE': line(`TRACE ${chat} HTTP/1.1`),
  'asterisk form': line('OPTIONS * HTTP/1.1'),
  'OPTIONS without an origin': line(`OPTIONS ${chat} HTTP/1.1`),
  'another method': line(`PUT ${chat} HTTP/1.1`),
  'DELETE': line(`DELETE ${chat} HTTP/1.1`),
  'an unknown method': line(`FROB ${chat} HTTP/1.1`),
  'a method in lowercase': line(`post ${chat} HTTP/1.1`),
  'GET with a body': line(`GET ${chat} HTTP/1.1`),
  'GET with method override headers': requestOf({
    line: `GET ${chat} HTTP/1.1`,
    headers: [length, 'X-HTTP-Method-Override: POST', 'X-Method-Override: POST', 'X-HTTP-Method: POST'],
  }),
  'a method in the query': line(`GET ${chat}?_method=POST HTTP/1.1`),
  'no version': line(`POST ${chat}`),
  'no version and no headers, as in HTTP/0.9': `GET ${chat}\r\n\r\n`,
  'version 0.9': line(`POST ${chat} HTTP/0.9`),
  'version 1.2': line(`POST ${chat} HTTP/1.2`),
  'version 2': line(`POST ${chat} HTTP/2.0`),
  'a version with three digits': line(`POST ${chat} HTTP/1.10`),
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'the start of a TLS handshake': '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'tabs in the request line': line(`POST\t${chat}\tHTTP/1.1`),
  'a line break in the path': line(`POST ${chat}\rX: y HTTP/1.1`),
  'a NUL in the path': line(`POST ${chat}\0 HTTP/1.1`),
  'a path with dots': line(`POST /v1/../v1/chat/completions HTTP/1.1`),
  'a path with encoded dots': line('POST /v1/%2e%2e/v1/chat/completions HTTP/1.1'),
  'a path with an encoded slash': line('POST /v1%2fchat%2fcompletions HTTP/1.1'),
  'a path with an encoded letter': line('POST /v1/%63hat/completions HTTP/1.1'),
  'a path encoded twice': line('POST /v1/%252e%252e/v1/chat/completions HTTP/1.1'),
  'a path with two slashes': line(`POST /${chat} HTTP/1.1`),
  'a path with a trailing slash': line(`POST ${chat}/ HTTP/1.1`),
  'a path with a backslash': line('POST /v1\\chat\\completions HTTP/1.1'),
  'a path with a parameter': line('POST /v1/chat;x=y/completions HTTP/1.1'),
  'a path in uppercase': line('POST /V1/CHAT/COMPLETIONS HTTP/1.1'),
  'a path with a fragment': line(`POST ${chat}#x HTTP/1.1`),
  'a path with non-ASCII characters': line('POST /v1/chat/complétions HTTP/1.1'),
  'a path that is too long': line(`POST ${chat}?${'a'.repeat(9000)} HTTP/1.1`),
  // Where the body ends.
  'a length and chunks': framed([length, 'Transfer-Encoding: chunked'], chunks),
  'chunks and a length': framed(['Transfer-Encoding: chunked', length], chunks),
  'a short length, then chunks and another request': framed(
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    `0\r\n\r\n${smuggled}`,
  ),
  'two lengths': framed([length, 'Content-Length: 0'], body),
  'two equal lengths': framed([length, length], body),
  'two lengths in one header': framed([`${length}, ${body.length}`], body),
  'a negative length': framed(['Content-Length: -1'], body),
  'a length with a sign': framed([`Content-Length: +${body.length}`], body),
  'a length in hex': framed([`Content-Length: 0x${hexLength}`], body),
  'a length with a fraction': framed([`Content-Length: ${body.length}.0`], body),
  'a length with a space': framed([`Content-Length: ${body.length} 0`], body),
  'an empty length': framed(['Content-Length:'], body),
  'a length that overflows': framed(['Content-Length: 99999999999999999999'], body),
  'a length with a space before the colon': framed([`Content-Length : ${body.length}`], body),
  'a length of zero, then another request': framed(['Content-Length: 0'], body),
  'a length beyond the limit': framed(['Content-Length: 99999999'], body),
  'no length': framed([], body),
  'an unknown encoding': framed(['Transfer-Encoding: xchunked'], chunks),
  'two encodings, chunked first': framed(['Transfer-Encoding: chunked, gzip'], chunks),
  'an encoding twice': framed(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], chunks),
  'an encoding twice, another second': framed(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], chunks),
  'an encoding with a space before the colon': framed(['Transfer-Encoding : chunked', length], chunks),
  'an encoding with a tab': framed(['Transfer-Encoding:\tchunked', length], chunks),
  'an encoding with a vertical tab': framed(['Transfer-Encoding: \u000bchunked'], chunks),
  'an encoding in quotes': framed(['Transfer-Encoding: "chunked"'], chunks),
  'an encoding behind a line feed': framed([`X: y\nTransfer-Encoding: chunked`, length], chunks),
  'an encoding behind a fold': framed(['Transfer-Encoding:\r\n chunked'], chunks),
  'chunks in version 1.0': requestOf({
    line: `POST ${chat} HTTP/1.0`,
    headers: ['Transfer-Encoding: chunked'],
    body: chunks,
  }),
  'a chunk with a size that is not a number': chunked(`zz\r\n${body}\r\n0\r\n\r\n`),
  'a chunk without a size': chunked(`\r\n${body}\r\n0\r\n\r\n`),
  'a chunk with a sign': chunked(`+${hexLength}\r\n${body}\r\n0\r\n\r\n`),
  'a chunk with 0x': chunked(`0x${hexLength}\r\n${body}\r\n0\r\n\r\n`),
  'a chunk size that overflows': chunked(`fffffffffffffffff\r\n${body}\r\n0\r\n\r\n`),
  'a chunk longer than its size': chunked(`5\r\n${body}\r\n0\r\n\r\n`),
  'a chunk shorter than its size': chunked(`fff\r\n${body}\r\n0\r\n\r\n`),
  'a chunk that ends with a line feed': chunked(`${hexLength}\n${body}\n0\n\n`),
  'a chunk with a line feed in its extension': chunked(`${hexLength};a\nb\r\n${body}\r\n0\r\n\r\n`),
  'chunks with a huge extension': chunked(`${hexLength};${'a'.repeat(40_000)}\r\n${body}\r\n0\r\n\r\n`),
  'chunks without an end': chunked(`${hexLength}\r\n${body}\r\n`),
  // Headers.
  'a line feed alone': requestOf().replaceAll('\r\n', '\n'),
  'a carriage return alone': requestOf().replace(`\r\n${json}`, `\r${json}`),
  'a folded header': header('X-A: b\r\n c'),
  'a header folded by a tab': header('X-A: b\r\n\tc'),
  'a header without a colon': header('X-A'),
  'a header without a name': header(': b'),
  'a name with a space': header('X A: b'),
  'a name in brackets': header('(X-A): b'),
  'a name with non-ASCII characters': header('X-Ä: b'),
  'a NUL in a value': header('X-A: b\0c'),
  'a carriage return in a value': header('X-A: b\rc'),
  'a bell in a value': header('X-A: b\u0007c'),
  'headers that are too large': header(`X-A: ${'a'.repeat(40_000)}`),
  'too many headers': header(...Array.from({ length: 5000 }, (_, index) => `X-${index}: a`)),
  'two content types': header('Content-Type: text/plain'),
  'the content type of a form': requestOf().replace(json, 'Content-Type: application/x-www-form-urlencoded'),
  'the content type of text': requestOf().replace(json, 'Content-Type: text/plain'),
  'no content type': requestOf().replace(`${json}\r\n`, ''),
  'an encoded body': header('Content-Encoding: gzip'),
  'two content encodings': header('Content-Encoding: identity', 'Content-Encoding: gzip'),
  'an unknown expectation': header('Expect: the-unexpected'),
  'an upgrade to WebSocket': header(
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ),
  'two keys': header('Authorization: Bearer a', 'Authorization: Bearer b'),
  'two other keys': header('X-Api-Key: a', 'X-Api-Key: b'),
  'two origins': header('Origin: http://localhost', 'Origin: http://evil.example'),
  // The body.
  'a body in UTF-16': framed(['Content-Length: 4'], '\u00ff\u00fe{\u0000'),
  'a body with too much nesting': framed([`Content-Length: ${3000 * 2}`], '['.repeat(3000) + ']'.repeat(3000)),
  'an empty body': framed(['Content-Length: 0'], ''),
  'a body with a JSON string': framed(['Content-Length: 4'], '"hi"'),
  'two JSON values in the body': framed([`Content-Length: ${2 * body.length}`], body + body),
};
