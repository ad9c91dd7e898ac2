// Preloaded into a process: makes its wall clock jump by a day, forwards and backwards, many times a second.

const day = 86_400_000;
const { now } = Date;
let shift = 0;
setInterval(() => (shift = shift === 0 ? day : shift === day ? -day : 0), 15).unref();
const shifted = () => now() + shift;
globalThis.Date = new Proxy(Date, {
  construct: (target, list) => Reflect.construct(target, list.length === 0 ? [shifted()] : list),
  get: (target, name) => (name === 'now' ? shifted : Reflect.get(target, name)),
});
