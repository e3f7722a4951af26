import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { bare, fastAsking, makeKey, message } from '../support/mcp.ts';
import { ENCODINGS, filesBelow, findInFiles, Needles } from '../support/planted.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { anySecret } from '../support/secret-samples.ts';
import { SeededRandom, testSeed } from '../support/seeded-random.ts';
import { tempDir } from '../support/temp.ts';
import { botUntil, call, deployTiny, lineUntil, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const SEED = testSeed();
const PLANTS = rounds(300, 10_000);
const RUNS = rounds(6, 60);
const QUERIES = rounds(4, 40);
/** Values of a config. */
const VALUES = 20;
/** Between two parts of every so manieth line the reader of the host gets its turn. */
const PAUSE_EVERY = 8;
/** A marker that must be found in every place: it proves that data arrives there. */
const SEEN = 'seen-by-everybody-4711';

/** Output for one line of the plan: the parts of one text, written one after the other. */
interface Plant {
  readonly to: 1 | 2;
  readonly parts: readonly string[];
  readonly pause: boolean;
}

/** Prints its plan, which lies outside of the host's folders; the output is complete with its last part. */
const PRINTER = `
import { readFileSync, writeSync } from 'node:fs';
const { folder } = JSON.parse(process.env.BOT_CONFIG);
const write = (to, text) => {
  const bytes = Buffer.from(text, 'latin1');
  for (let done = 0; done < bytes.length; ) done += writeSync(to, bytes, done);
};
for (const { to, parts, pause } of JSON.parse(readFileSync(folder + '/plan', 'utf8'))) {
  for (const [i, part] of parts.entries()) {
    if (i > 0 && pause) await new Promise((resolve) => setTimeout(resolve, 30));
    write(to, part);
  }
}
console.log('all said');
console.error('all said too');
setInterval(() => {}, 1000);`;

/** A run that ends in the way that its file tells. */
const ENDER = `
import { readFileSync, writeFileSync } from 'node:fs';
const { folder } = JSON.parse(process.env.BOT_CONFIG);
const { how, secret, line } = JSON.parse(readFileSync(folder + '/end', 'utf8'));
const result = (text) => writeFileSync(process.env.RESULT_FILE, text);
if (how === 'result') result(JSON.stringify({ note: line, deep: [{ note: 'x ' + secret }], seen: '${SEEN}' }));
if (how === 'error') result(JSON.stringify({ status: 'error', message: '${SEEN} ' + line }));
if (how === 'broken result') result(secret + ' ${SEEN}');
if (how === 'crash') throw new Error('${SEEN} ' + line);
if (how === 'rejection') await Promise.reject(new Error('${SEEN} ' + line));
if (how === 'exit') { console.error('${SEEN} ' + line); process.exit(3); }`;

/** A query program that fails in the way that its parameter tells. */
const ASKED = `
import { readFileSync, writeFileSync } from 'node:fs';
const { folder } = JSON.parse(process.env.BOT_CONFIG);
const { line, value } = JSON.parse(readFileSync(folder + '/ask', 'utf8'));
const how = process.env.QUERY_PARAM_how;
const answer = (text) => writeFileSync(process.env.QUERY_RESULT_FILE, text);
if (how === 'error') answer(JSON.stringify({ status: 'error', error: '${SEEN} ' + line }));
if (how === 'no envelope') answer('${SEEN} ' + line);
if (how === 'value') answer(JSON.stringify({ status: 'ok', data: { value, list: ['x' + value, '${SEEN}'], [value]: 1 } }));
if (how === 'crash') throw new Error('${SEEN} ' + line);`;

const SCHEMA = {
  type: 'object',
  properties: { folder: { type: 'string' }, values: { type: 'array', items: { type: 'string' }, 'x-secret': true } },
};

const NO_NEWLINE = (text: string): string => text.replaceAll('\n', '\\n');

/** Secrets and their parts that must not be found. */
class Planted {
  readonly random = new SeededRandom(SEED);
  readonly values: readonly string[];
  /** Of configs and of the host itself: the files that keep them may hold them. */
  readonly kept = new Needles();
  readonly foreign = new Needles();
  readonly hostKeys: string[] = [];

  constructor() {
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=&<>"%$ äé';
    this.values = Array.from({ length: VALUES }, () => `v${this.random.text(letters, 24 + this.random.below(30))}9`);
    for (const value of this.values) for (const encode of Object.values(ENCODINGS)) this.kept.add(encode(value), 6);
  }

  /** A key of the host counts in every form in which a bot may print it. */
  addHostKey(key: string): void {
    this.hostKeys.push(key);
    // Its first part names it in lists of keys and is no secret.
    const secret = key.slice(key.lastIndexOf('_') + 1);
    for (const name of ['raw', 'hex', 'base64', 'base64 behind one byte', 'base64 behind two bytes']) {
      const printed = ENCODINGS[name]?.(key) ?? key;
      this.kept.add(name === 'raw' ? secret : printed.slice(-40), name === 'raw' ? 0 : 4);
    }
  }

  /** A line with a value of the config, a key of the host or what another provider would give, as text and as metric. */
  line(): string {
    const { random } = this;
    const kind = random.below(10);
    if (kind < 3) {
      const value = random.pick(this.values);
      const [name, encode] = random.pick(Object.entries(ENCODINGS));
      return `${random.pick(['got', 'x=', '[', 'https://h/?q='])}${encode(value)}${random.pick([' ', ']', ' end'])} as ${name}`;
    }
    if (kind < 5) {
      const key = random.pick(this.hostKeys);
      const way = random.pick([
        'raw',
        'JSON text',
        'URL',
        'hex',
        'base64',
        'base64 behind one byte',
        'base64 behind two bytes',
      ]);
      return `key ${ENCODINGS[way]?.(key)} as ${way}`;
    }
    return this.provider();
  }

  provider(): string {
    const { line, secret } = anySecret(this.random);
    this.foreign.add(secret);
    return line;
  }

  plant(index: number): Plant {
    const { random } = this;
    const sink = random.below(8);
    const line = this.line();
    const flat = NO_NEWLINE(line);
    const text = [
      line,
      line,
      JSON.stringify({ level: 'info', message: flat, n: index }),
      JSON.stringify({ level: 'warn', message: 'fields', inner: { note: flat, list: [flat] } }),
      JSON.stringify({ _metric: 'planted', value: index, note: flat, deep: [{ note: flat }] }),
      JSON.stringify({ _metric: flat, value: index }),
      // Over the length of one entry: somewhere around the cut.
      `${'long '.repeat(13_000 + random.below(120))}${flat}${' tail'.repeat(40)}`,
      `\u001b[31mERROR\u001b[0m ${line}\r`,
    ][index % 40 === 39 ? 6 : sink === 6 ? 0 : sink];
    const bytes = Buffer.from(`${text}\n`).toString('latin1');
    // Every place comes in its turn, counted from where the secret may begin.
    const cut = 1 + (index % Math.max(1, bytes.length - 1));
    return {
      to: random.below(2) === 0 ? 1 : 2,
      parts: [bytes.slice(0, cut), bytes.slice(cut)],
      pause: index % PAUSE_EVERY === 0,
    };
  }
}

/** Everything that an answer or a stream gave, by the place where it was seen. */
class Seen {
  readonly #texts = new Map<string, string>();

  add(place: string, text: string): void {
    this.#texts.set(place, (this.#texts.get(place) ?? '') + text);
  }

  async get(host: TestHost, path: string, place = path): Promise<string> {
    const text = await (await host.fetch(path)).text();
    this.add(place, text);
    return text;
  }

  find(needles: readonly Needles[]): string[] {
    return [...this.#texts].flatMap(([place, text]) =>
      needles.flatMap((one) => one.findIn(Buffer.from(text)).map((found) => `${place}: ${found}`)),
    );
  }

  /** Places where what everybody may see was not seen. */
  without(text: string): string[] {
    return [...this.#texts].filter(([, all]) => !all.includes(text)).map(([place]) => place);
  }
}

/** Keeps all that a stream of events says. */
async function follow(host: TestHost, path: string, seen: Seen, place: string): Promise<() => void> {
  const end = new AbortController();
  const { body } = await host.fetch(path, { signal: end.signal });
  const decoder = new TextDecoder();
  const read = async (): Promise<void> => {
    for await (const chunk of body ?? []) seen.add(place, decoder.decode(chunk, { stream: true }));
  };
  read().catch((error: unknown) => {
    if (!end.signal.aborted) throw error;
  });
  return () => end.abort();
}

/** As follow, over the socket of the dashboard: the lines of a bot and the events of all. */
async function followBySocket(host: TestHost, bot_id: string, seen: Seen): Promise<() => void> {
  const headers = { authorization: `Bearer ${host.token}` };
  const socket = new WebSocket(`${host.url.replace('http', 'ws')}/api/v1/socket`, { headers });
  socket.on('message', (data) => seen.add('socket', String(data)));
  await once(socket, 'open');
  socket.send(JSON.stringify({ id: 1, stream: 'logs.stream', input: { bot_id, after: 0 } }));
  socket.send(JSON.stringify({ id: 2, stream: 'bots.stream', input: {} }));
  return () => socket.terminate();
}

/** All that a list has, from the newest page to the oldest; how many that is. */
async function allPages(host: TestHost, path: string, list: 'entries' | 'events', seen: Seen): Promise<number> {
  let before = '';
  let count = 0;
  for (;;) {
    const text = await seen.get(host, `${path}?limit=1000${before}`, path);
    const items = (JSON.parse(text) as Record<string, { seq: number }[]>)[list] ?? [];
    count += items.length;
    if (items.length < 1000) return count;
    before = `&before=${items.reduce((least, { seq }) => Math.min(least, seq), Number.POSITIVE_INFINITY)}`;
  }
}

async function printAll(host: TestHost, planted: Planted, seen: Seen): Promise<string> {
  const folder = tempDir('planted-');
  const plants = Array.from({ length: PLANTS }, (_, index) => planted.plant(index));
  const shown = [`${SEEN}\n`, `${JSON.stringify({ _metric: SEEN, value: 1 })}\n`].map((text) => ({
    to: 1,
    parts: [text],
  }));
  writeFileSync(join(folder, 'plan'), JSON.stringify([...shown, ...plants]));
  const config = { folder, values: planted.values };
  const bot = await deployTiny(host, { name: 'printer', bot: PRINTER, schema: SCHEMA }, { config, enabled: false });
  const ends = [
    await follow(host, `/api/v1/bots/${bot.bot_id}/stream?after=0`, seen, 'stream'),
    await followBySocket(host, bot.bot_id, seen),
  ];
  await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/start`);
  await lineUntil(host, bot.bot_id, 'all said');
  await lineUntil(host, bot.bot_id, 'all said too');
  const outputs = filesBelow(join(host.dataDir, 'bots', bot.bot_id)).filter((name) => /bot\.(out|err)$/.test(name));
  expect(outputs.length).toBe(2);
  for (const name of outputs)
    expect(statSync(join(host.dataDir, 'bots', bot.bot_id, name)).mode & 0o777, name).toBe(0o600);

  const own = `/api/v1/bots/${bot.bot_id}`;
  expect(await allPages(host, `${own}/logs`, 'entries', seen)).toBeGreaterThan(PLANTS / 2);
  expect(await allPages(host, `${own}/metrics/events`, 'events', seen)).toBeGreaterThan(PLANTS / 8);
  await seen.get(host, `${own}/metrics`, 'metrics');
  await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`);
  await botUntil(host, bot.bot_id, 'stopped', (one) => one.status === 'stopped');
  for (const end of ends) end();
  return bot.bot_id;
}

const ENDS = ['result', 'error', 'broken result', 'crash', 'rejection', 'exit'] as const;

async function endAll(host: TestHost, planted: Planted, seen: Seen): Promise<string> {
  const folder = tempDir('planted-');
  const bot = await deployTiny(
    host,
    { name: 'ender', type: 'scheduled', bot: ENDER, query: ASKED, schema: SCHEMA },
    { config: { folder, values: planted.values } },
  );
  for (let i = 0; i < RUNS; i++) {
    const how = ENDS[i % ENDS.length] ?? 'crash';
    const secret = i % 2 === 0 ? planted.random.pick(planted.values) : planted.provider();
    writeFileSync(join(folder, 'end'), JSON.stringify({ how, secret, line: planted.line() }));
    const { run_id } = await call<{ run_id: string }>(host, 'POST', `/api/v1/bots/${bot.bot_id}/run`);
    await until('the end of the run', async () => {
      const run = (await runsOf(host, bot.bot_id)).find((one) => one.run_id === run_id);
      return run !== undefined && run.ended_at !== null;
    });
    for (const path of ['', '/logs/summary', '/diagnosis'])
      await seen.get(host, `/api/v1/bots/${bot.bot_id}${path}`, `run ended by ${how}`);
  }
  for (let i = 0; i < QUERIES; i++) {
    const how = ['error', 'no envelope', 'value', 'crash'][i % 4];
    writeFileSync(
      join(folder, 'ask'),
      JSON.stringify({ line: planted.line(), value: planted.random.pick(planted.values) }),
    );
    const body = JSON.stringify({ path: '/x', params: { how } });
    const answer = await host.fetch(`/bot/${bot.bot_id}/query`, { method: 'POST', body });
    seen.add(`query, ${how}`, await answer.text());
  }
  for (const path of ['runs?limit=100', 'events?limit=100', 'logs?limit=1000'])
    await seen.get(host, `/api/v1/bots/${bot.bot_id}/${path}`, `ended: ${path}`);
  return bot.bot_id;
}

async function askAssistants(host: TestHost, key: string, bots: readonly string[], seen: Seen): Promise<void> {
  for (const bot_id of bots) {
    for (const name of ['bot_get', 'logs_get', 'logs_summary']) {
      const answer = await bare(host, key, message('tools/call', { name, arguments: { bot_id } }));
      seen.add('MCP', answer.text);
    }
    seen.add('command line', (await host.cli('bot', 'logs', bot_id, '-n', '1000', '--json')).stdout);
  }
}

it('secrets that bots print in all ways are found in no file, answer or stream', async ({
  onTestFinished,
}: TestContext) => {
  const started = Date.now();
  const host = await testHost(onTestFinished, fastAsking);
  const planted = new Planted();
  const key = await makeKey(host);
  for (const one of [key, await makeKey(host), host.token]) planted.addHostKey(one);
  const seen = new Seen();
  const endEvents = await follow(host, '/api/v1/events', seen, 'events');
  const bots = [await printAll(host, planted, seen), await endAll(host, planted, seen)];
  endEvents();
  await askAssistants(host, key, bots, seen);
  for (const path of ['/api/v1/bots', '/api/v1/audit', '/api/v1/host'])
    new Seen().add(path, await seen.get(host, path, 'others'));
  seen.add('others', SEEN);

  const context = `TEST_SEED=${SEED}`;
  const needles = [planted.kept, planted.foreign];
  expect(seen.without(SEEN), context).toEqual([]);
  expect(seen.find(needles), context).toEqual([]);

  // Raw output has gone with the runs; remains of it would be found below.
  for (const bot of bots) {
    const runs = join(host.dataDir, 'bots', bot, 'runs');
    mkdirSync(runs, { recursive: true });
    await until('the folders of runs to go', () => readdirSync(runs).length === 0);
  }
  await host.stop();
  const visible = new Needles();
  visible.add(SEEN);
  expect(
    findInFiles(host.dataDir, visible, null).some((found) => /log\.db/.test(found)),
    context,
  ).toBe(true);
  // The config of a bot must be kept as it is: in control.db, and in its copies. The host's own token is in host.json
  // for its owner's command line, and a client keeps the key that it was given.
  const found = [
    ...findInFiles(host.dataDir, planted.kept, /^(?:control\.db|backups|host\.json|client)/),
    ...findInFiles(host.dataDir, planted.foreign, null),
  ];
  expect(found, context).toEqual([]);
  await prove('S11', 'secrets that bots print are found nowhere', {
    'planted secrets': PLANTS + RUNS + QUERIES,
    'runs of 12 bytes looked for': needles.reduce((sum, one) => sum + one.size, 0),
    'files looked through': filesBelow(host.dataDir).length,
    'found in files, answers and streams': found.length + seen.find(needles).length,
    seconds: Math.round((Date.now() - started) / 1000),
  });
});
