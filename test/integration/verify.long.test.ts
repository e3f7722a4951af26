import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { packFolder } from '../../src/packaging/pack.ts';
import { exampleCopy, TestHost } from '../support/platform.ts';
import { everyVariant } from '../support/proof.ts';
import { tempDir } from '../support/temp.ts';

const SDK = resolve(import.meta.dirname, '../../resources/sdk/node/index.mjs');

/** A project of a Node bot. */
function project(type: 'realtime' | 'scheduled', bot: string, query: string | null = null): string {
  const dir = tempDir('platform-tried-');
  const entry = query === null ? '' : '\n  query: query.mjs';
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'bot.mjs'), bot);
  if (query !== null) writeFileSync(join(dir, 'query.mjs'), query);
  writeFileSync(join(dir, 'bot-schema.json'), '{"type":"object","title":"t","description":"t","properties":{}}');
  writeFileSync(
    join(dir, 'bot-config.yaml'),
    `name: tried-bot\nversion: "1.0.0"\ndescription: d\nauthor: a\ntype: ${type}\nruntime: nodejs22\nentrypoints:\n  bot: bot.mjs${entry}\nschema:\n  bot: bot-schema.json\n`,
  );
  return dir;
}

/** Tries a project; returns the level of each check by its id, and the output. */
async function verified(path: string, ...flags: string[]) {
  const { code, stdout, stderr } = await new TestHost().cli('custom-bot', 'verify', path, '--json', ...flags);
  if (stdout === '') throw new Error(stderr);
  const answer = JSON.parse(stdout);
  const by = (field: string) =>
    Object.fromEntries(answer.checks.map((one: Record<string, string>) => [one.id, one[field]]));
  return { code, checks: answer.checks, levels: by('level'), messages: by('message'), faults: answer.faults };
}

/** Answers that a busy machine makes slow are something to look at. */
const ANSWERED = expect.stringMatching(/^(ok|note)$/);
const STAY = 'setInterval(() => {}, 1000);';

describe.concurrent('platform custom-bot verify', () => {
  it('finds nothing wrong with the realtime example, as a folder', async () => {
    const { faults, levels, messages } = await verified(exampleCopy('node-sma-crossover'), '--seconds', '3');
    expect(faults, JSON.stringify(messages, null, 1)).toBe(0);
    expect(levels).toMatchObject({
      valid: 'ok',
      starts: 'ok',
      stays_alive: 'ok',
      metrics: 'ok',
      queries: ANSWERED,
      query_reads: 'ok',
      stops: 'ok',
    });
    expect(messages.queries).toMatch(/p50 .* p95 .* of 20/);
    expect(messages.queries).not.toContain('every program');
  });

  it('finds nothing wrong with the scheduled example, as a package', async () => {
    const packed = await packFolder(exampleCopy('python-portfolio-tracker'));
    const chunks: Buffer[] = [];
    for await (const chunk of Readable.from(packed.stream)) chunks.push(Buffer.from(chunk));
    const file = join(tempDir(), 'package.tar.gz');
    writeFileSync(file, Buffer.concat(chunks));
    expect((await readFile(file)).length).toBeGreaterThan(100);
    const { faults, levels, messages } = await verified(file, '--seconds', '20');
    expect(faults, JSON.stringify(messages, null, 1)).toBe(0);
    expect(levels).toMatchObject({ run_ends: 'ok', result: 'ok', queries: ANSWERED, query_reads: 'ok' });
  });

  it('tells a bot of which nobody can know how it is started', async () => {
    const bot = `const main = () => ${STAY.slice(0, -1)};\nif (import.meta.main) main();\nexport default { name: 'no function' };`;
    const { levels, messages } = await verified(project('realtime', bot), '--seconds', '2');
    expect(levels).toMatchObject({ valid: 'ok', starts: 'fault' });
    expect(messages.starts).toContain('it exports default; none of that can be called');
  });

  it('tells a bot that ignores SIGTERM, takes more and more memory, and writes state when it is asked', async () => {
    const bot = `import { symlinkSync } from 'node:fs'; symlinkSync('/nowhere', process.env.STATE_DIR + '/link');
process.on('SIGTERM', () => {}); const kept = []; setInterval(() => kept.push(Buffer.alloc(2_000_000, 1)), 100);
console.log('{"half": ');`;
    const query = `import { writeFileSync } from 'node:fs'; import { query } from ${JSON.stringify(SDK)};
query.handler('/look', () => ({ ok: true }));
query.handler('/status', () => { writeFileSync(process.env.STATE_DIR + '/asked.json', '1'); return { ok: true }; }); query.run();`;
    const { code, levels, messages } = await verified(project('realtime', bot, query), '--seconds', '4');
    expect(code).toBe(9);
    expect(messages.query_reads).toContain('/status');
    expect(levels).toMatchObject({
      starts: 'ok',
      stays_alive: 'ok',
      stops: 'fault',
      memory: 'fault',
      query_reads: 'fault',
      log_lines: 'note',
    });
  });

  it('ticks no query that a bot does not have, and keeps nobody from publishing for a warning', async () => {
    const query = `import { writeFileSync } from 'node:fs';
const known = process.env.QUERY_PATH === '/mine';
const answer = known ? { status: 'ok', data: 1 } : { status: 'error', error: 'No handler for path', available: ['/mine'] };
writeFileSync(process.env.QUERY_RESULT_FILE, JSON.stringify(answer));`;
    const dir = project('scheduled', '', query);
    writeFileSync(join(dir, 'bot-config.yaml'), `${readFileSync(join(dir, 'bot-config.yaml'), 'utf8')}colour: blue\n`);
    const { checks, levels, messages } = await verified(dir);
    expect(levels).toMatchObject({ valid: 'ok', warnings: 'note', query_reads: 'spare' });
    expect(messages.query_reads).toContain('/status was not answered');
    expect(checks.filter((one: { why: string }) => one.why.includes('cannot be published'))).toEqual([
      expect.objectContaining({ level: 'ok' }),
    ]);
    const named = await verified(dir, '--query', '/mine');
    expect(named.messages.query_reads).toBe('/mine: the state stays as it was');
  });

  it('tells of a query port that answers without the token of the host', async () => {
    const bot = `import { createServer } from 'node:http';
const answer = '{"status":"ok","data":{"available_queries":["/status"]}}';
createServer((_, response) => response.end(answer)).listen(process.env.QUERY_PORT, '127.0.0.1');`;
    const { levels, messages } = await verified(project('realtime', bot), '--seconds', '1');
    expect(levels.queries).toBe('note');
    expect(messages.queries).toContain('answers every program of this machine');
  });

  it('waits for a query program that begins to listen later than its bot', async () => {
    const query = `import { query } from ${JSON.stringify(SDK)};
query.handler('/late', () => ({ ok: true })); setTimeout(() => query.run(), 4000);`;
    const { levels, messages } = await verified(project('realtime', STAY, query), '--seconds', '1');
    expect({ level: levels.queries, message: messages.queries }).toMatchObject({
      level: ANSWERED,
      message: expect.stringMatching(/^\/late: p50/),
    });
  });

  it.runIf(everyVariant)('tells a bot that answers once and is gone', async () => {
    const bot = `import { createServer } from 'node:http';
const answer = '{"status":"ok","data":{"available_queries":["/status"]}}';
let asked = 0;
createServer(({ headers }, response) => {
  // Who looks whether the port is open to all asks without the token, before others or after them.
  if (headers['x-query-token'] === undefined || asked++ === 0) response.end(answer);
  else process.exit(1);
}).listen(process.env.QUERY_PORT, '127.0.0.1');`;
    const { code, levels } = await verified(project('realtime', bot), '--seconds', '1');
    expect({ code, levels }).toMatchObject({ code: 9, levels: { queries: 'fault', stays_alive: 'fault' } });
  });

  it.runIf(everyVariant)('tells a query whose answer is no JSON', async () => {
    const query = `import { writeFileSync } from 'node:fs'; writeFileSync(process.env.QUERY_RESULT_FILE, '{"status": ');`;
    const { code, levels } = await verified(project('scheduled', '', query));
    expect(code).toBe(9);
    expect(levels).toMatchObject({ run_ends: 'ok', queries: 'fault', query_reads: 'spare' });
  });

  it('tells a query that is never answered', async () => {
    const query = `import { query } from ${JSON.stringify(SDK)};
query.handler('/status', () => new Promise(() => setInterval(() => {}, 1000))); query.run();`;
    const dir = project('realtime', STAY, query);
    const { code, levels, messages } = await verified(dir, '--seconds', '1', '--timeout', '1');
    expect(code).toBe(9);
    expect({ levels, messages }).toMatchObject({
      levels: { queries: 'fault', stops: 'ok' },
      messages: { queries: expect.stringContaining('QUERY_TIMEOUT') },
    });
  });

  it.runIf(everyVariant)('tells a run that does not end', async () => {
    const never = await verified(project('scheduled', STAY), '--seconds', '1');
    expect(never).toMatchObject({ code: 9, levels: { run_ends: 'fault' } });
  });

  it('tells a bot that ends at its start, a run that fails, and a project that is not valid', async () => {
    const crashes = verified(project('realtime', 'throw new Error("no key");'), '--seconds', '2');
    const fails = verified(project('scheduled', 'process.exitCode = 3;'));
    const broken = project('realtime', STAY);
    writeFileSync(join(broken, 'bot-schema.json'), '{"type":"array"}');
    expect(await crashes).toMatchObject({
      code: 9,
      levels: { starts: 'fault' },
      messages: { starts: expect.stringContaining('no key') },
    });
    expect(await fails).toMatchObject({ code: 9, levels: { run_ends: 'fault' } });
    expect(await verified(broken)).toMatchObject({ code: 9, levels: { valid: 'fault' } });
  });
});
