// Runs in the page once per world: `main` (its own scripts) and `isolated` (the preload script). Calls between the worlds
// are DOM events whose detail is text, so the two never share an object: the rule of the contextBridge.
(function pageWorld(side, nonce, isTop) {
  if (!isTop) return;
  const other = side === 'main' ? 'isolated' : 'main';
  const functions = new Map();
  const promises = new Map();
  let lastId = 0;
  let answer;

  const encode = (value, overBridge = true) => {
    if (value === undefined) return { kind: 'undefined' };
    if (value === null || ['boolean', 'string', 'number'].includes(typeof value)) return { kind: 'plain', value };
    const handle = (known, kind) => {
      if (!overBridge) throw new Error('An object could not be cloned.');
      lastId += 1;
      const id = `${side}${lastId}`;
      if (kind === 'function') functions.set(id, known);
      else
        known.then(
          (result) => settle(id, result, false),
          (error) => settle(id, error, true),
        );
      return { kind, id };
    };
    if (typeof value === 'function') return handle(value, 'function');
    if (value instanceof Error) return { kind: 'error', message: value.message };
    if (typeof value.then === 'function') return handle(value, 'promise');
    if (Array.isArray(value)) return { kind: 'array', items: value.map((item) => encode(item, overBridge)) };
    const fields = Object.keys(value).map((key) => [key, encode(value[key], overBridge)]);
    return { kind: 'object', fields };
  };
  const decode = (text, frozen = false) => {
    const fix = frozen ? Object.freeze : (value) => value;
    switch (text.kind) {
      case 'undefined':
        return undefined;
      case 'plain':
        return text.value;
      case 'error':
        return new Error(text.message);
      case 'function':
        return (...args) => call(text.id, args);
      case 'promise':
        return new Promise((resolve, reject) => promises.set(text.id, { resolve, reject }));
      case 'array':
        return fix(text.items.map((item) => decode(item, frozen)));
      default:
        return fix(Object.fromEntries(text.fields.map(([key, item]) => [key, decode(item, frozen)])));
    }
  };

  const post = (message) =>
    document.dispatchEvent(new CustomEvent(`double-${nonce}-${other}`, { detail: JSON.stringify(message) }));
  const ask = (message) => {
    answer = undefined;
    post(message);
    const given = answer;
    answer = undefined;
    if (given === undefined) throw new Error('The other world of the page does not answer.');
    if (given.error !== undefined) throw decode(given.error);
    return decode(given.value);
  };
  const call = (id, args) => ask({ kind: 'call', id, args: args.map((one) => encode(one)) });
  const settle = (id, value, failed) =>
    post({ kind: 'settle', id, failed, value: encode(failed && !(value instanceof Error) ? new Error(value) : value) });
  const reply = (work) => {
    try {
      post({ kind: 'answer', value: encode(work()) });
    } catch (error) {
      post({ kind: 'answer', error: encode(error instanceof Error ? error : new Error(String(error))) });
    }
  };
  document.addEventListener(`double-${nonce}-${side}`, ({ detail }) => {
    const message = JSON.parse(detail);
    if (message.kind === 'answer') answer = message;
    else if (message.kind === 'call') {
      reply(() => functions.get(message.id)(...message.args.map((one) => decode(one))));
    } else if (message.kind === 'settle') {
      const { resolve, reject } = promises.get(message.id);
      promises.delete(message.id);
      if (message.failed) reject(decode(message.value));
      else resolve(decode(message.value));
    } else {
      reply(() => {
        if (Object.hasOwn(window, message.key)) throw new Error(`window.${message.key} exists already`);
        Object.defineProperty(window, message.key, { value: decode(message.api, true), enumerable: true });
      });
    }
  });
  if (side === 'main') return;

  // The preload side: a binding that exists in this world only leads to the main process.
  const binding = globalThis.__doubleIpc;
  delete globalThis.__doubleIpc;
  const listeners = new Map();
  const invoked = new Map();
  const ipcRenderer = {
    invoke: (channel, ...args) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const text = JSON.stringify({ id: lastId, channel, args: args.map((one) => encode(one, false)) });
        invoked.set(lastId, { resolve, reject });
        binding(text);
      }),
    on: (channel, listener) => {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
      return ipcRenderer;
    },
    off: (channel, listener) => {
      listeners.set(
        channel,
        (listeners.get(channel) ?? []).filter((one) => one !== listener),
      );
      return ipcRenderer;
    },
  };
  globalThis.__doubleReceive = (text) => {
    const message = JSON.parse(text);
    if (message.kind === 'event') {
      for (const listener of listeners.get(message.channel) ?? []) {
        listener({ sender: ipcRenderer }, ...message.args.map((one) => decode(one)));
      }
      return;
    }
    const { resolve, reject } = invoked.get(message.id);
    invoked.delete(message.id);
    if (message.error === undefined) resolve(decode(message.value));
    else reject(new Error(`Error invoking remote method '${message.channel}': ${message.error}`));
  };
  const contextBridge = {
    exposeInMainWorld: (key, api) => ask({ kind: 'expose', key, api: encode(api) }),
  };
  globalThis.__doublePreload = { electron: { ipcRenderer, contextBridge } };
});
