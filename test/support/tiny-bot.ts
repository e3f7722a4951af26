import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Bot, Run } from '../../src/contract/bot.ts';
import type { LogEntry } from '../../src/contract/telemetry.ts';
import { packFolder } from '../../src/packaging/pack.ts';
import type { TestHost } from './platform.ts';
import { tempDir } from './temp.ts';
import { until } from './until.ts';

/** A host that a test can call. */
export type Reachable = Pick<TestHost, 'fetch'>;

export interface TinyBot {
  readonly name: string;
  readonly type?: 'realtime' | 'scheduled';
  readonly version?: string;
  /** Default `nodejs22`, of which the Docker engine of the tests has no image. */
  readonly runtime?: string;
  /** Source of the program, an ES module, or Python where the runtime is. */
  readonly bot: string;
  readonly query?: string;
  /** The package says `prewarm_queries`. */
  readonly prewarms?: boolean;
  /** What the package says that it can trade with. */
  readonly modes?: readonly string[];
  /** `permits` of the package. */
  readonly permits?: object;
  readonly schema?: object;
  /** The document of its view. */
  readonly view?: string;
}

/** Writes the project of a custom bot of a few lines. Gives its folder. */
function writeTiny(tiny: TinyBot): string {
  const dir = tempDir('tiny-bot-');
  const { name, type = 'realtime', version = '1.0.0', runtime = 'nodejs22' } = tiny;
  const ending = runtime.startsWith('python') ? 'py' : 'mjs';
  mkdirSync(join(dir, 'src'));
  writeFileSync(join(dir, `src/bot.${ending}`), tiny.bot);
  if (tiny.query !== undefined) writeFileSync(join(dir, `src/query.${ending}`), tiny.query);
  if (tiny.view !== undefined) {
    mkdirSync(join(dir, 'view'));
    writeFileSync(join(dir, 'view/index.html'), tiny.view);
  }
  const modes = tiny.modes === undefined ? '' : `modes: [${tiny.modes.join(', ')}]\n`;
  const permits = tiny.permits === undefined ? '' : `permits: ${JSON.stringify(tiny.permits)}\n`;
  const query = tiny.query === undefined ? '' : `\n  query: src/query.${ending}`;
  writeFileSync(
    join(dir, 'bot-config.yaml'),
    `name: ${name}\nversion: "${version}"\ntype: ${type}\nruntime: ${runtime}\nentrypoints:\n  bot: src/bot.${ending}${query}\nschema:\n  bot: bot-schema.json\n${tiny.prewarms === true ? 'prewarm_queries: true\n' : ''}${modes}${permits}`,
  );
  const schema = tiny.schema ?? { type: 'object', properties: {} };
  writeFileSync(join(dir, 'bot-schema.json'), JSON.stringify({ title: name, description: 'test', ...schema }));
  return dir;
}

/** The package of a custom bot of a few lines. */
export const packTiny = (tiny: TinyBot): Promise<Buffer> => packed(writeTiny(tiny));

/** Publishes a custom bot of a few lines. */
export const publish = (host: Reachable, tiny: TinyBot): Promise<Response> => publishFolder(host, writeTiny(tiny));

const packed = async (dir: string): Promise<Buffer> => buffer(Readable.from((await packFolder(dir)).stream));

/** Publishes the custom bot in a folder. */
export async function publishFolder(host: Reachable, dir: string): Promise<Response> {
  const body = new Uint8Array(await packed(dir));
  return host.fetch('/api/v1/custom-bots', { method: 'POST', body, headers: { 'content-type': 'application/gzip' } });
}

/** A call that must succeed. */
export async function call<T>(host: Reachable, method: string, path: string, body?: unknown): Promise<T> {
  const response = await host.fetch(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Publishes and deploys in one step. */
export async function deployTiny(host: Reachable, tiny: TinyBot, request: object = {}): Promise<Bot> {
  const published = await publish(host, tiny);
  if (!published.ok) throw new Error(await published.text());
  const type = `${tiny.type ?? 'realtime'}/${tiny.name}`;
  const schedule = tiny.type === 'scheduled' ? { schedule: '0 0 1 1 *' } : {};
  return call(host, 'POST', '/api/v1/bots', {
    name: tiny.name,
    type,
    version: tiny.version ?? '1.0.0',
    ...schedule,
    config: {},
    ...request,
  });
}

/** Deletes a bot and empties it out of the trash, after which nothing of it is left. */
export async function eraseBot(host: Reachable, id: string): Promise<void> {
  await call(host, 'DELETE', `/api/v1/bots/${id}`);
  await call(host, 'POST', '/api/v1/trash/empty', { bot_ids: [id] });
}

export const getBot = (host: Reachable, id: string): Promise<Bot> => call(host, 'GET', `/api/v1/bots/${id}`);

export async function runsOf(host: Reachable, id: string): Promise<Run[]> {
  return (await call<{ items: Run[] }>(host, 'GET', `/api/v1/bots/${id}/runs`)).items;
}

export async function logsOf(host: Reachable, id: string): Promise<LogEntry[]> {
  return (await call<{ entries: LogEntry[] }>(host, 'GET', `/api/v1/bots/${id}/logs?limit=1000`)).entries;
}

/** Gives a running bot a word: a file in its state folder, for which it waits. */
export function tell(host: TestHost, id: string, word: string): void {
  writeFileSync(join(host.dataDir, 'bots', id, 'state/.platform', word), '');
}

/** All that a host tells of a bot: for the message of a check that failed. */
export async function storyOf(host: Reachable, id: string): Promise<string> {
  const answers = ['', '/runs', '/events', '/logs?limit=1000'].map(async (part) => {
    const path = `/api/v1/bots/${id}${part}`;
    return `${path}: ${(await (await host.fetch(path)).text()).slice(-5000)}`;
  });
  return (await Promise.all(answers)).join('\n');
}

/** Waits until the bot's record passes a check and gives it. */
export function botUntil(
  host: Reachable,
  id: string,
  what: string,
  check: (bot: Bot) => boolean,
  ms?: number,
): Promise<Bot> {
  return until(
    what,
    async () => {
      const bot = await getBot(host, id);
      return check(bot) ? bot : null;
    },
    ms,
    () => storyOf(host, id),
  );
}

/** Waits until a line with this text is in the log. */
export function lineUntil(host: Reachable, id: string, text: string, ms?: number): Promise<LogEntry> {
  return until(
    `the line ${text}`,
    async () => (await logsOf(host, id)).find((entry) => entry.message.includes(text)),
    ms,
    () => storyOf(host, id),
  );
}
