import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, fastAsking, makeKey, SEED_TOOLS } from '../support/mcp.ts';
import { TestHost } from '../support/platform.ts';
import { variants } from '../support/proof.ts';
import { deployTalking } from '../support/talking-bot.ts';
import { tempDir } from '../support/temp.ts';
import { runInstalled } from './installed.ts';

const host = new TestHost();
let key = '';
let botId = '';
beforeAll(async () => {
  fastAsking(host.dataDir);
  await host.start();
  key = await makeKey(host);
  botId = (await deployTalking(host)).bot.bot_id;
}, 60_000);
afterAll(() => host.stop());

/** By itself (`auto`) it finds the modern one. Other clients speak the legacy one always. */
const ERAS = variants(['auto'], ['legacy', 'modern']);
/** Exit codes of the Inspector. */
const EXIT = { ok: 0, needsKey: 3, toolError: 5 } as const;

/** Runs the Inspector against the host; its answer is the result of the one line of JSON on stdout. */
async function inspect(era: string, args: readonly string[], header = `x-api-key: ${key}`) {
  const common = ['--cli', '--server-url', `${host.url}/mcp`, '--transport', 'http', '--header', header];
  const options = [...common, '--protocol-era', era, '--stored-auth-only', '--format', 'json'];
  const { code, stdout, stderr } = await runInstalled('inspector', tempDir(), ...options, ...args);
  return { code, stdout, stderr, json: () => JSON.parse(stdout).result };
}

const getting = (id: string) => ['--method', 'tools/call', '--tool-name', 'bot_get', '--tool-arg', `bot_id=${id}`];

describe.each(ERAS)('the Inspector as a client of the era %s', (era) => {
  it.concurrent('lists the 14 tools, with no error in any schema', async () => {
    const run = await inspect(era, ['--method', 'tools/list', '--strict']);
    expect(run.code, run.stderr).toBe(EXIT.ok);
    // It reports findings alone, warnings among them.
    expect(run.stderr).toBe('');
    expect(run.json().tools.map(({ name }: { name: string }) => name)).toEqual(SEED_TOOLS);
  });

  it.concurrent('calls a tool', async () => {
    const run = await inspect(era, getting(botId));
    expect(run.code, run.stderr).toBe(EXIT.ok);
    expect(dataOf(run.json())).toMatchObject({ bot_id: botId, status: 'running' });
  });

  it.concurrent('calls a tool with arguments that are no texts', async () => {
    const given = JSON.stringify({ bot_id: botId, limit: 1 });
    const run = await inspect(era, ['--method', 'tools/call', '--tool-name', 'logs_get', '--tool-args-json', given]);
    expect(run.code, run.stderr).toBe(EXIT.ok);
    expect(dataOf(run.json()).returned).toBe(1);
  });

  it.concurrent('sees that a tool failed', async () => {
    const run = await inspect(era, getting('nowhere'));
    expect(run.code).toBe(EXIT.toolError);
    expect(`${run.stdout}${run.stderr}`).toContain('Bot not found');
  });

  it.concurrent('reads a resource', async () => {
    const run = await inspect(era, ['--method', 'resources/read', '--uri', `platform://bots/${botId}/state`]);
    expect(run.code, run.stderr).toBe(EXIT.ok);
    expect(run.stdout).toContain('bot_state');
  });

  it.concurrent('gets a prompt', async () => {
    const prompt = ['--prompt-name', 'diagnose_bot', '--prompt-args', `bot_id=${botId}`];
    const run = await inspect(era, ['--method', 'prompts/get', ...prompt]);
    expect(run.code, run.stderr).toBe(EXIT.ok);
    const types = run.json().messages.map(({ content }: { content: { type: string } }) => content.type);
    expect(types).toEqual(['text', 'resource', 'text']);
  });

  it.concurrent('is told that it needs another key', async () => {
    const run = await inspect(era, ['--method', 'tools/list'], 'x-api-key: plat_wrong');
    expect(run.code, run.stderr).toBe(EXIT.needsKey);
  });
});
