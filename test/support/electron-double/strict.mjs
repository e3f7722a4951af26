/** What the double does not have throws by name: a call of the app must never do nothing unseen. */
export function strict(name, object) {
  return new Proxy(object, {
    get(target, key, receiver) {
      if (key in target || typeof key === 'symbol' || key === 'then' || key === 'toJSON') {
        return Reflect.get(target, key, receiver);
      }
      throw new Error(`The double of Electron has no ${name}.${key}`);
    },
  });
}

/** An event whose listeners may prevent what it announces. */
export function preventable(extra = {}) {
  const event = {
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true;
    },
    ...extra,
  };
  return event;
}
