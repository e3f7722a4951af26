import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { packFolder } from '../../src/packaging/pack.ts';

/** A host as the local owner reaches it. */
export interface HostOfBench {
  readonly url: string;
  readonly token: string;
}

async function checked(answer: Response): Promise<Response> {
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

/** Running a peer to its end blocks this thread, so it may not notice that the host has closed a kept connection. */
const isClosedMeanwhile = (error: unknown): boolean =>
  error instanceof TypeError && error.cause instanceof Error && error.cause.message === 'other side closed';

/** A call with a JSON body. */
export async function call(host: HostOfBench, method: string, path: string, body?: unknown): Promise<unknown> {
  const ask = (): Promise<Response> =>
    fetch(`${host.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const answer = await ask().catch((error) => (isClosedMeanwhile(error) ? ask() : Promise.reject(error)));
  return (await checked(answer)).json();
}

/** Publishes a package of these files. */
export async function publish(host: HostOfBench, files: Readonly<Record<string, string>>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-bot-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const packed = await packFolder(dir);
  const chunks: Buffer[] = [];
  for await (const chunk of packed.stream) chunks.push(Buffer.from(chunk));
  rmSync(dir, { recursive: true });
  const answer = await fetch(`${host.url}/api/v1/custom-bots`, {
    method: 'POST',
    headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/gzip' },
    body: new Uint8Array(Buffer.concat(chunks)),
  });
  await checked(answer);
}

/** Deploys a bot; its id. */
export async function deploy(host: HostOfBench, request: Readonly<Record<string, unknown>>): Promise<string> {
  const bot = await call(host, 'POST', '/api/v1/bots', request);
  if (typeof bot !== 'object' || bot === null || !('bot_id' in bot)) throw new Error(JSON.stringify(bot));
  return String(bot.bot_id);
}

/** Publishes a bot that waits, and deploys it; its id. */
export async function publishTiny(url: string, token: string): Promise<string> {
  const properties = { symbol: { type: 'string' }, period: { type: 'integer', default: 5, minimum: 2 } };
  await publish(
    { url, token },
    {
      'src/bot.mjs': 'setInterval(() => {}, 60_000);\n',
      'bot-config.yaml':
        'name: waits\nversion: "1.0.0"\ntype: realtime\nruntime: nodejs22\nentrypoints:\n  bot: src/bot.mjs\nschema:\n  bot: bot-schema.json\n',
      'bot-schema.json': JSON.stringify({ type: 'object', title: 'waits', properties }),
    },
  );
  const request = { name: 'bench bot', type: 'realtime/waits', version: '1.0.0', config: { symbol: 'SPY' } };
  return deploy({ url, token }, request);
}

const CONFIG = (name: string, type: string, runtime: string, entry: string, more: string): string =>
  `name: ${name}\nversion: "1.0.0"\ntype: ${type}\nruntime: ${runtime}\nentrypoints:\n  bot: ${entry}\n${more}schema:\n  bot: bot-schema.json\n`;

/** A bot of one file. */
export interface OneFileBot {
  readonly name: string;
  /** Ends with `.py` or `.mjs`, which says the runtime. */
  readonly entry: string;
  readonly source: string;
  readonly type?: 'realtime' | 'scheduled';
  /** File and text of a program that answers queries. */
  readonly query?: readonly [file: string, source: string];
}

/** Publishes a bot of one file, version 1.0.0. */
export async function publishOneFile(host: HostOfBench, bot: OneFileBot): Promise<void> {
  const runtime = bot.entry.endsWith('.py') ? 'python311' : 'nodejs24';
  const query = bot.query === undefined ? '' : `  query: ${bot.query[0]}\n`;
  await publish(host, {
    [bot.entry]: bot.source,
    ...(bot.query === undefined ? {} : { [bot.query[0]]: bot.query[1] }),
    'bot-config.yaml': CONFIG(bot.name, bot.type ?? 'realtime', runtime, bot.entry, query),
    'bot-schema.json': JSON.stringify({ type: 'object', properties: {} }),
  });
}

/** Publishes a realtime bot of one file and deploys it under the same name; its id. */
export async function deployOneFile(host: HostOfBench, bot: OneFileBot): Promise<string> {
  await publishOneFile(host, bot);
  return deploy(host, { name: bot.name, type: `realtime/${bot.name}`, version: '1.0.0', config: {} });
}

/** The token that the host sends to a bot whose handler `/token` tells it; waits until the bot listens. */
export async function tokenOf(host: HostOfBench, bot: string): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await call(host, 'POST', `/bot/${bot}/query`, { path: '/token' });
      return String((answer as { result: unknown }).result);
    } catch (error) {
      if (tries > 200) throw error;
      await wait(50);
    }
  }
}

/** A page of a log, as far as a benchmark reads it. */
export interface LogPage {
  readonly entries: readonly { readonly seq: number; readonly ts: string; readonly message: string }[];
  readonly older_before: number | null;
  readonly incomplete: boolean;
}

export async function logPage(host: HostOfBench, bot: string, query: string): Promise<LogPage> {
  return (await call(host, 'GET', `/api/v1/bots/${bot}/logs?${query}`)) as LogPage;
}

/** Waits until the newest line of a bot is this one. */
export async function printed(host: HostOfBench, bot: string, last: string): Promise<void> {
  while ((await logPage(host, bot, 'limit=1')).entries.at(-1)?.message !== last) await wait(200);
}

/** Waits until bots have this status. */
export async function reached(host: HostOfBench, bots: readonly string[], status: string): Promise<void> {
  for (const bot of bots) {
    for (;;) {
      const record = await call(host, 'GET', `/api/v1/bots/${bot}`);
      if (typeof record === 'object' && record !== null && 'status' in record && record.status === status) break;
      await wait(20);
    }
  }
}
