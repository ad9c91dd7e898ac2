// What the client expects of its engine and QuickJS does not have: the web's text, address, abort and timer objects, as far
// as the client uses them. `host` has the functions of the native side.

const host = globalThis.host;

globalThis.TextEncoder = class TextEncoder {
  encode(text = '') {
    return new Uint8Array(host.encodeText(String(text).toWellFormed()));
  }

  encodeInto(text, target) {
    const bytes = this.encode(text);
    let length = Math.min(bytes.length, target.length);
    // A character is written whole or not at all.
    while (length < bytes.length && (bytes[length] & 0xc0) === 0x80) length -= 1;
    target.set(bytes.subarray(0, length));
    const read = length === bytes.length ? text.length : new TextDecoder().decode(bytes.subarray(0, length)).length;
    return { read, written: length };
  }
};

/** The bytes at the end that begin a character which may continue in the next chunk. */
function incompleteEnd(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}

globalThis.TextDecoder = class TextDecoder {
  #fatal;
  #keepsMark;
  #rest = new Uint8Array(0);
  #isStart = true;

  constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    if (!/^utf-?8$/i.test(label)) throw new RangeError(`The encoding ${label} is not supported.`);
    this.#fatal = fatal;
    this.#keepsMark = ignoreBOM;
  }

  decode(input = new Uint8Array(0), { stream = false } = {}) {
    const given = ArrayBuffer.isView(input)
      ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
      : new Uint8Array(input);
    let bytes = given;
    if (this.#rest.length > 0) {
      bytes = new Uint8Array(this.#rest.length + given.length);
      bytes.set(this.#rest);
      bytes.set(given, this.#rest.length);
    }
    const end = stream ? bytes.length - incompleteEnd(bytes) : bytes.length;
    this.#rest = bytes.slice(end);
    let text = host.decodeText(bytes.slice(0, end), this.#fatal);
    if (text === null) throw new TypeError('The encoded data was not valid for encoding utf-8');
    if (this.#isStart && text.length > 0) {
      if (!this.#keepsMark && text.startsWith('\ufeff')) text = text.slice(1);
      this.#isStart = false;
    }
    if (!stream) {
      this.#rest = new Uint8Array(0);
      this.#isStart = true;
    }
    return text;
  }
};

globalThis.URL = class URL {
  #parts;

  constructor(text, base) {
    const parsed = host.parseUrl(String(text), base === undefined ? '' : String(base));
    if (parsed === null) throw new TypeError('Invalid URL');
    this.#parts = JSON.parse(parsed);
  }

  static parse(text, base) {
    try {
      return new URL(text, base);
    } catch {
      return null;
    }
  }

  static canParse(text, base) {
    return URL.parse(text, base) !== null;
  }

  #set(part, value) {
    this.#parts = JSON.parse(host.changeUrl(this.#parts.href, part, String(value)));
  }

  get href() {
    return this.#parts.href;
  }
  get origin() {
    return this.#parts.origin;
  }
  get protocol() {
    return this.#parts.protocol;
  }
  get username() {
    return this.#parts.username;
  }
  set username(value) {
    this.#set('username', value);
  }
  get password() {
    return this.#parts.password;
  }
  set password(value) {
    this.#set('password', value);
  }
  get host() {
    return this.#parts.host;
  }
  get hostname() {
    return this.#parts.hostname;
  }
  get port() {
    return this.#parts.port;
  }
  get pathname() {
    return this.#parts.pathname;
  }
  set pathname(value) {
    this.#set('pathname', value);
  }
  get search() {
    return this.#parts.search;
  }
  set search(value) {
    this.#set('search', value);
  }
  get hash() {
    return this.#parts.hash;
  }
  set hash(value) {
    this.#set('hash', value);
  }
  toString() {
    return this.href;
  }
  toJSON() {
    return this.href;
  }
};

globalThis.DOMException = class DOMException extends Error {
  constructor(message = '', name = 'Error') {
    super(message);
    Object.defineProperty(this, 'name', { value: name, configurable: true });
  }
};

const abort = Symbol('abort');

/**
 * A signal that follows others listens to them only while it has listeners of its own, so that a signal that lives long
 * does not keep those of all calls.
 */
globalThis.AbortSignal = class AbortSignal {
  #sources = [];
  #isAborted = false;
  #reason = undefined;
  #listeners = new Map();

  get aborted() {
    const source = this.#isAborted ? undefined : this.#sources.find((signal) => signal.aborted);
    if (source !== undefined) this[abort](source.reason);
    return this.#isAborted;
  }

  get reason() {
    return this.aborted ? this.#reason : undefined;
  }

  addEventListener(type, listener, { once = false } = {}) {
    if (type !== 'abort' || typeof listener !== 'function' || this.#listeners.has(listener)) return;
    this.#listeners.set(listener, once);
    if (this.#listeners.size > 1) return;
    for (const source of this.#sources) source.addEventListener('abort', this.#follow, { once: true });
  }

  removeEventListener(type, listener) {
    if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#leave();
  }

  throwIfAborted() {
    if (this.aborted) throw this.reason;
  }

  /** For the controller. */
  [abort](reason) {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason ?? new DOMException('This operation was aborted', 'AbortError');
    this.#leave();
    const event = { type: 'abort', target: this };
    for (const [listener, once] of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      if (once) this.#listeners.delete(listener);
      try {
        listener.call(this, event);
      } catch (error) {
        host.log(String(error));
      }
    }
  }

  #follow = ({ target }) => this[abort](target.reason);

  #leave() {
    for (const source of this.#sources) source.removeEventListener('abort', this.#follow);
  }

  static abort(reason) {
    const controller = new AbortController();
    controller.abort(reason);
    return controller.signal;
  }

  static timeout(delay) {
    const controller = new AbortController();
    setTimeout(
      () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      delay,
    );
    return controller.signal;
  }

  static any(sources) {
    const signal = new AbortSignal();
    signal.#sources = [...sources];
    return signal;
  }
};

globalThis.AbortController = class AbortController {
  signal = new AbortSignal();

  abort(reason) {
    this.signal[abort](reason);
  }
};

const timers = new Map();
let nextTimer = 1;

/** As in Node: at least one millisecond, and no more than fits into 31 bits. */
const toDelay = (delay) => (delay >= 1 && delay <= 2 ** 31 - 1 ? Number(delay) : 1);

class Timer {
  constructor(callback, delay, values, isRepeated = false) {
    this.id = nextTimer++;
    this.callback = callback;
    this.delay = delay;
    this.values = values;
    this.isRepeated = isRepeated;
    this.refresh();
  }

  /** Starts again, also after it has expired. */
  refresh() {
    timers.set(this.id, this);
    host.startTimer(this.id, this.delay);
    return this;
  }

  ref() {
    return this;
  }
  unref() {
    return this;
  }
  hasRef() {
    return true;
  }
  [Symbol.toPrimitive]() {
    return this.id;
  }
  [Symbol.dispose]() {
    clearTimeout(this);
  }
}

globalThis.fireTimer = (id) => {
  const timer = timers.get(id);
  if (timer === undefined) return;
  if (timer.isRepeated) timer.refresh();
  else timers.delete(id);
  timer.callback(...timer.values);
};

globalThis.setTimeout = (callback, delay, ...values) => new Timer(callback, toDelay(delay), values);
globalThis.setInterval = (callback, delay, ...values) => new Timer(callback, toDelay(delay), values, true);
globalThis.setImmediate = (callback, ...values) => new Timer(callback, 0, values);
globalThis.clearTimeout = (timer) => {
  const id = typeof timer === 'object' ? timer?.id : Number(timer);
  if (timers.delete(id)) host.stopTimer(id);
};
globalThis.clearInterval = globalThis.clearTimeout;
globalThis.clearImmediate = globalThis.clearTimeout;

globalThis.queueMicrotask ??= (callback) => void Promise.resolve().then(callback);
globalThis.performance = { now: () => host.now() };
globalThis.crypto = {
  getRandomValues(target) {
    target.set(new Uint8Array(host.randomBytes(target.byteLength)));
    return target;
  },
  randomUUID() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  },
};
const log = (...values) => host.log(values.map(String).join(' '));
globalThis.console = { log, warn: log, error: log, info: log, debug: log };
globalThis.structuredClone ??= (value) => JSON.parse(JSON.stringify(value));

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
globalThis.btoa ??= (text) => {
  let result = '';
  for (let at = 0; at < text.length; at += 3) {
    const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
    const bits = (first << 16) | ((second || 0) << 8) | (third || 0);
    result += base64[bits >> 18] + base64[(bits >> 12) & 63];
    result += at + 1 < text.length ? base64[(bits >> 6) & 63] : '=';
    result += at + 2 < text.length ? base64[bits & 63] : '=';
  }
  return result;
};
