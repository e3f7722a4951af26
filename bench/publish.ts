import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packFolder } from '../src/packaging/pack.ts';

/** A host as the local owner reaches it. */
export interface HostOfBench {
  readonly url: string;
  readonly token: string;
}

async function checked(answer: Response): Promise<Response> {
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

/** A call with a JSON body. */
export async function call(host: HostOfBench, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${host.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
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
