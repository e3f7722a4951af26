// What a view asks of its bot (docs/views.md#viewjs). Put it into a script of view/index.html before your own.
window.bot = (() => {
  const waiting = new Map();
  const watchers = { metrics: new Set(), theme: new Set() };
  const root = document.documentElement;
  let last = 0;
  let theme = 'light';
  let known;
  /** Resolves to the id of the bot, once the program that shows the view has named it. */
  const botId = new Promise((resolve) => {
    known = resolve;
  });

  const post = (message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      post({ id: last, method, params });
    });

  function look({ theme: next, styles }) {
    if (next !== undefined) {
      theme = next;
      root.dataset.theme = next;
      root.style.colorScheme = next;
    }
    for (const [name, value] of Object.entries(styles?.variables ?? {})) root.style.setProperty(name, value);
    for (const watcher of watchers.theme) watcher(theme);
  }

  const told = {
    'ui/notifications/tool-input': ({ arguments: given }) => known(given?.bot_id),
    'ui/notifications/host-context-changed': look,
    'notifications/resources/updated': () => {
      for (const watcher of watchers.metrics) watcher();
    },
  };

  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return;
    if (data.method !== undefined) {
      told[data.method]?.(data.params ?? {});
      if (data.id !== undefined) post({ id: data.id, result: {} });
      return;
    }
    const call = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error !== undefined) call?.reject(new Error(data.error.message));
    else call?.resolve(data.result);
  });

  async function call(name, given = {}) {
    const { content = [], isError } = await ask('tools/call', { name, arguments: { bot_id: await botId, ...given } });
    const text = content.find(({ type }) => type === 'text')?.text ?? '';
    if (isError) throw new Error(text);
    return JSON.parse(text);
  }

  const ready = ask('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name: document.title || 'view', version: '1' },
    appCapabilities: {},
  }).then(({ hostContext }) => {
    look(hostContext ?? {});
    post({ method: 'ui/notifications/initialized', params: {} });
    return botId;
  });

  return {
    /** Resolves to the id of the bot. The functions below wait for it by themselves. */
    ready,
    /** `light` or `dark`, as the page around the view. */
    get theme() {
      return theme;
    },
    /** Calls `watcher` with the theme whenever it changes. */
    onTheme: (watcher) => watchers.theme.add(watcher),
    /** The newest metric of each type; with a type the newest of that, oldest first. */
    metrics: async (type, limit) => (await call('metrics_get', type === undefined ? {} : { type, limit })).metrics,
    /** A numeric field over time: arrays `t`, `min`, `max`, `avg`, `last`. `range` has symbol, from, to, points. */
    series: (type, field, range = {}) => call('metrics_series', { type, field, ...range }),
    /** Metrics as the bot wrote them, with `seq`; `which` has type, after, before, limit. */
    events: async (which = {}) => (await call('metrics_events', which)).events,
    /** Calls `watcher` whenever there are new metrics: told by the page, or every five seconds where nobody tells. */
    async onMetrics(watcher) {
      watchers.metrics.add(watcher);
      await ask('resources/subscribe', { uri: `platform://bots/${await botId}/metrics` }).catch(() =>
        setInterval(watcher, 5000),
      );
    },
    /** The value under a key of the state; without a key the list of keys. */
    state: async (key) =>
      key === undefined ? (await call('bot_state_list')).keys : (await call('bot_state_get', { key })).value,
    /** Asks the bot itself. Values of `params` are texts. */
    query: async (path, params) => (await call('bot_query', { query_path: path, params })).result,
    /** The books of the bot; `which` has by, from, to, zone, in. */
    ledger: async (which = {}) => (await call('ledger_get', which)).books,
    /** Asks the person to open an address of the web. */
    open: (url) => ask('ui/open-link', { url }),
  };
})();
