// Preloaded into a process: its clock on the wall jumps a day to and fro, many times a second.

const day = 86_400_000;
const { now } = Date;
let shift = 0;
setInterval(() => (shift = shift === 0 ? day : shift === day ? -day : 0), 15).unref();
const shifted = () => now() + shift;
globalThis.Date = new Proxy(Date, {
  construct: (target, list) => Reflect.construct(target, list.length === 0 ? [shifted()] : list),
  get: (target, name) => (name === 'now' ? shifted : Reflect.get(target, name)),
});
