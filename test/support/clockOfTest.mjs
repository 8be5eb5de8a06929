// node --import: the process's clock starts at SEXTANT_TEST_NOW, in milliseconds since 1970, and runs.
const offset = Number(process.env.SEXTANT_TEST_NOW) - Date.now();
const RealDate = Date;
const now = () => RealDate.now() + offset;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
