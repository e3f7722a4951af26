import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packFolder } from '../src/packaging/pack.ts';

/** Publishes a bot that waits, and deploys it; its id. */
export async function publishTiny(url: string, token: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-bot-'));
  mkdirSync(join(dir, 'src'));
  writeFileSync(join(dir, 'src/bot.mjs'), 'setInterval(() => {}, 60_000);\n');
  writeFileSync(
    join(dir, 'bot-config.yaml'),
    'name: waits\nversion: "1.0.0"\ntype: realtime\nruntime: nodejs22\nentrypoints:\n  bot: src/bot.mjs\nschema:\n  bot: bot-schema.json\n',
  );
  const properties = { symbol: { type: 'string' }, period: { type: 'integer', default: 5, minimum: 2 } };
  writeFileSync(join(dir, 'bot-schema.json'), JSON.stringify({ type: 'object', title: 'waits', properties }));
  const packed = await packFolder(dir);
  const chunks: Buffer[] = [];
  for await (const chunk of packed.stream) chunks.push(Buffer.from(chunk));
  rmSync(dir, { recursive: true });
  const authorization = `Bearer ${token}`;
  const published = await fetch(`${url}/api/v1/custom-bots`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/gzip' },
    body: new Uint8Array(Buffer.concat(chunks)),
  });
  if (!published.ok) throw new Error(await published.text());
  const request = { name: 'bench bot', type: 'realtime/waits', version: '1.0.0', config: { symbol: 'SPY' } };
  const deployed = await fetch(`${url}/api/v1/bots`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  const bot: unknown = await deployed.json();
  if (typeof bot !== 'object' || bot === null || !('bot_id' in bot)) throw new Error(JSON.stringify(bot));
  return String(bot.bot_id);
}
