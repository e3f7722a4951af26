import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Bot, BotEvent } from '../../src/contract/bot.ts';
import type { BotDiagnosis } from '../../src/contract/failure.ts';
import { fastAsking } from '../support/mcp.ts';
import { pidsOfBot, pidsUnder, programsOf, sharedHost, testHost } from '../support/platform.ts';
import { everyVariant } from '../support/proof.ts';
import { tempDir } from '../support/temp.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, logsOf, publish, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const STAY = 'setInterval(() => {}, 1000);';
const UP = `console.log('up ' + process.pid); ${STAY}`;

// All these tests ask at once.
const shared = sharedHost(fastAsking);

describe.concurrent('states of a realtime bot', () => {
  it('runs after deploy, stops when disabled, starts when enabled', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, { name: 'plain', bot: UP });
    await lineUntil(host, bot.bot_id, 'up ');
    expect(await getBot(host, bot.bot_id)).toMatchObject({
      status: 'running',
      enabled: true,
      restarts: 0,
      engine: 'process',
    });
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`);
    const stopped = await botUntil(host, bot.bot_id, 'stopped', (one) => one.status === 'stopped');
    expect(stopped).toMatchObject({
      enabled: false,
      reason: { code: 'DISABLED' },
      run_id: null,
      last_run: { status: 'stopped' },
    });
    expect(pidsOfBot(host, bot.bot_id)).toEqual([]);
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/start`);
    await botUntil(host, bot.bot_id, 'running again', (one) => one.status === 'running');
  });

  it('begins anew with an update: what failed before it counts no longer', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, {
      name: 'recovers',
      bot: `import { state } from '@bot-platform/sdk';
        if (state.get('failed') === undefined) { state.set('failed', true); process.exit(1); }
        ${STAY}`,
    });
    const before = await botUntil(
      host,
      bot.bot_id,
      'to run again',
      (one) => one.status === 'running' && one.restarts === 1,
    );
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { options: { memory_mb: 300 } });
    const updated = await botUntil(
      host,
      bot.bot_id,
      'to run as it is now',
      (one) => one.status === 'running' && one.run_id !== before.run_id,
    );
    expect(updated).toMatchObject({ restarts: 1, last_run: { trigger: 'update' } });
    expect(await call(host, 'GET', `/api/v1/bots/${bot.bot_id}/diagnosis`)).toMatchObject({ failure: null });
  });

  it('tells on the command line what it uses', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, { name: 'uses', bot: UP });
    await lineUntil(host, bot.bot_id, 'up ');
    const { stdout } = await host.cli('bot', 'stats', 'uses');
    expect(stdout).toMatch(
      /^Runs on engine process, 0 restarts\.\nPROGRAM +UP +CPU +MEMORY +PROCESSES.*\nbot +\d.* (B|KiB|MiB) +\d+ +- +- /,
    );
    expect(await host.json('bot', 'stats', 'uses')).toMatchObject({ bot_id: bot.bot_id, programs: [{ role: 'bot' }] });
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`);
    await botUntil(host, bot.bot_id, 'stopped', (one) => one.status === 'stopped');
    const idle = await host.cli('bot', 'stats', 'uses');
    expect(idle.stdout).toBe('None of its programs runs (engine process, 0 restarts).\n');
  });

  it('is never told as well while it crashes again and again, not between two crashes either', async ({
    onTestFinished,
  }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, { name: 'crashes', bot: 'setTimeout(() => process.exit(3), 200);' });
    const looping = await botUntil(
      host,
      bot.bot_id,
      'to run after four crashes',
      (one) => one.health.failures >= 4 && one.status === 'running',
    );
    expect(looping.health).toMatchObject({ state: 'crash_looping', reason: { code: 'EXIT_CODE' } });
    const { stdout } = await host.cli('bot', 'list');
    expect(stdout).toMatch(/crashes +✖ crash-looping · \d+×/);
    // Every change that anybody could have seen, from the first failure on.
    const { items } = await call<{ items: BotEvent[] }>(host, 'GET', `/api/v1/bots/${bot.bot_id}/events?limit=200`);
    const since = items.toSorted((a, b) => a.event_id - b.event_id);
    const first = since.findIndex(({ status }) => status === 'backing_off');
    expect(first).toBeGreaterThan(0);
    expect(new Set(since.slice(first).map(({ health }) => health))).toEqual(new Set(['recovering', 'crash_looping']));
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`);
    const stopped = await botUntil(host, bot.bot_id, 'stopped', (one) => one.status === 'stopped');
    expect(stopped.health.state).toBe('ok');
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/start`);
    const again = await getBot(host, bot.bot_id);
    expect(again.health.state).toBe('crash_looping');
  });

  it('that crashes in a loop looks no better for being started again, and is counted alike everywhere', async ({
    onTestFinished,
  }) => {
    const host = shared(onTestFinished);
    const { bot_id: id } = await deployTiny(host, { name: 'loops', bot: 'process.exit(3);' });
    const { health } = await botUntil(host, id, 'a crash loop', (bot) => bot.health.state === 'crash_looping');
    await call(host, 'POST', `/api/v1/bots/${id}/start`);
    const started = await getBot(host, id);
    expect(started.health.state).toBe('crash_looping');
    expect(started.health.failures).toBeGreaterThanOrEqual(health.failures);
    // Another crash may fall between two looks.
    await until('one count', async () => {
      const before = (await getBot(host, id)).health.failures;
      const { failure } = await call<BotDiagnosis>(host, 'GET', `/api/v1/bots/${id}/diagnosis`);
      const after = (await getBot(host, id)).health.failures;
      return before === after && failure?.code === 'CRASH_LOOP' && failure.repeats === before;
    });
  });

  it('backs off after a failure, shows when it tries again, and tries', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, { name: 'fails', bot: `console.error('boom'); process.exit(3);` });
    const waiting = await botUntil(host, bot.bot_id, 'backing off', (one) => one.status === 'backing_off');
    expect(waiting.reason).toMatchObject({ code: 'EXIT_CODE', message: 'Ended with exit code 3' });
    expect(Date.parse(waiting.next_attempt_at ?? '')).toBeGreaterThan(Date.parse(waiting.reason?.at ?? ''));
    expect(waiting.last_run).toMatchObject({ status: 'failed', exit_code: 3 });
    await botUntil(host, bot.bot_id, 'two restarts', (one) => one.restarts >= 2);
    expect((await runsOf(host, bot.bot_id)).map((run) => run.trigger).slice(-3)).toEqual([
      'recovery',
      'recovery',
      'deploy',
    ]);
  });

  it("tells a person's restart from its own after a failure", async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const source = `import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
const mark = join(process.env.STATE_DIR, 'failed-once');
if (!existsSync(mark)) { writeFileSync(mark, ''); process.exit(3); }
${UP}`;
    const bot = await deployTiny(host, { name: 'failed-once', bot: source });
    const before = await botUntil(host, bot.bot_id, 'running', (one) => one.status === 'running' && one.restarts === 1);
    expect(before.health).toMatchObject({ failures: 1 });
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/restart`);
    const isNext = ({ status, run_id }: Bot) => status === 'running' && run_id !== before.run_id;
    const after = await botUntil(host, bot.bot_id, 'running again', isNext);
    expect((await runsOf(host, bot.bot_id)).map((run) => run.trigger)).toEqual(['restart', 'recovery', 'deploy']);
    expect(after.restarts).toBe(1);
  });

  it('says at once that it is on its way down when it is restarted', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, { name: 'again', bot: UP });
    await lineUntil(host, bot.bot_id, 'up ');
    const before = await getBot(host, bot.bot_id);
    expect(await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/restart`)).toMatchObject({ status: 'stopping' });
    const after = await botUntil(
      host,
      bot.bot_id,
      'running again',
      (one) => one.run_id !== null && one.run_id !== before.run_id,
    );
    expect(after).toMatchObject({ status: 'running', engine: 'process', started_at: expect.any(String), restarts: 0 });
  });

  it('restarts once for an update and gives the bot the effective config', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const schema = {
      type: 'object',
      additionalProperties: false,
      properties: { a: { type: 'integer', default: 7 }, b: { type: 'string' } },
    };
    const bot = await deployTiny(
      host,
      { name: 'updates', bot: `console.log('config ' + process.env.BOT_CONFIG); ${STAY}`, schema },
      { config: { b: 'x' } },
    );
    await lineUntil(host, bot.bot_id, 'config {"b":"x","a":7}');
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { config: { a: 8 }, name: 'renamed' });
    await lineUntil(host, bot.bot_id, 'config {"a":8}');
    const after = await botUntil(host, bot.bot_id, 'running', (one) => one.status === 'running');
    expect(after).toMatchObject({ name: 'renamed', config: { a: 8 }, effective_config: { a: 8 }, restarts: 0 });
    expect(await runsOf(host, bot.bot_id)).toHaveLength(2);
    const refused = await host.fetch(`/api/v1/bots/${bot.bot_id}`, {
      method: 'PATCH',
      body: JSON.stringify({ config: { a: 'no' } }),
    });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { code: 'INVALID_CONFIG', details: [{ path: expect.stringContaining('a') }] },
    });
    expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'running', config: { a: 8 } });
    expect(await runsOf(host, bot.bot_id)).toHaveLength(2);
  });

  it('names a renamed bot without a restart', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, { name: 'renames', bot: UP });
    await lineUntil(host, bot.bot_id, 'up ');
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, { name: '🚀 "quoted" name' });
    expect(await getBot(host, bot.bot_id)).toMatchObject({
      name: '🚀 "quoted" name',
      run_id: (await getBot(host, bot.bot_id)).run_id,
    });
    expect(await runsOf(host, bot.bot_id)).toHaveLength(1);
  });

  it('fails with a reason when the bot cannot start, and the host goes on', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, { name: 'broken', bot: `import './missing.mjs';` });
    const failed = await botUntil(host, bot.bot_id, 'a failure', (one) => one.status === 'backing_off');
    expect(failed.last_run).toMatchObject({ status: 'failed', exit_code: 1 });
    expect(JSON.stringify(await logsOf(host, bot.bot_id))).toContain('missing.mjs');
  });

  it('keeps names unique per user and says so', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    await deployTiny(host, { name: 'unique', bot: UP });
    const again = await host.fetch('/api/v1/bots', {
      method: 'POST',
      body: JSON.stringify({ name: 'unique', type: 'realtime/unique', version: '1.0.0', config: {} }),
    });
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({ error: { code: 'NAME_TAKEN' } });
  });

  it('gives a flat request back to the bot as it was sent', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const schema = { type: 'object', additionalProperties: false, properties: { symbol: { type: 'string' } } };
    await publish(host, { name: 'flat-bot', bot: `console.log(process.env.BOT_CONFIG); ${STAY}`, schema });
    const bot = await call<Bot>(host, 'POST', '/api/v1/bots', {
      name: 'f',
      type: 'realtime/flat-bot',
      version: '1.0.0',
      symbol: 'SPY',
    });
    const line = await until('the config', async () =>
      (await logsOf(host, bot.bot_id)).find((entry) => entry.source === 'stdout'),
    );
    expect({ ...line.fields, ...tryJson(line.message) }).toMatchObject({
      symbol: 'SPY',
      name: 'f',
      type: 'realtime/flat-bot',
      version: '1.0.0',
    });
  });
});

describe.concurrent('a host that dies', () => {
  it('adopts what runs, knows how what ended ended, and runs nothing twice', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const flag = join(tempDir(), 'go');
    const ender = `import { existsSync } from 'node:fs';
      console.log('waiting'); const t = setInterval(() => { if (existsSync(${JSON.stringify(flag)})) { console.log('last words'); process.exit(4); } }, 20);`;
    const stays = await deployTiny(host, { name: 'stays', bot: UP });
    const ends = await deployTiny(host, { name: 'ends', bot: ender });
    await lineUntil(host, stays.bot_id, 'up ');
    await lineUntil(host, ends.bot_id, 'waiting');
    const before = await getBot(host, stays.bot_id);
    const { pid } = host;
    await host.kill();
    const left = pidsUnder(host.dataDir).length;
    writeFileSync(flag, '');
    await until('the end of one', () => pidsUnder(host.dataDir).length < left);
    await host.start();
    // Also the program that has ended was still the bot's: its end is recorded.
    expect(host.log).toMatch(new RegExp(`The last host \\(process ${pid}\\) ended without being stopped.*taken over`));
    expect(await getBot(host, stays.bot_id)).toMatchObject({ status: 'running', run_id: before.run_id });
    const ended = await until('the end to be seen', async () =>
      (await runsOf(host, ends.bot_id)).find((run) => run.ended_at !== null),
    );
    expect(ended).toMatchObject({ status: 'failed', exit_code: 4 });
    await lineUntil(host, ends.bot_id, 'last words');
    expect(
      (await logsOf(host, ends.bot_id)).filter(
        (entry) => entry.message === 'last words' && entry.run_id === ended.run_id,
      ),
    ).toHaveLength(1);
  });

  it('ends its bots also when it is asked to stop in the moment of its start', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished);
    const { bot_id: id } = await deployTiny(host, {
      name: 'ticks',
      bot: `console.log('up'); setInterval(() => {}, 1000);`,
    });
    await lineUntil(host, id, 'up');
    for (let round = 0; round < (everyVariant ? 3 : 1); round++) {
      await host.kill();
      await host.start();
      await host.stop();
      expect([round, await programsOf(host)]).toEqual([round, []]);
      await host.start();
    }
  });

  it('stops and starts with its bots, cleanly; what is finished after exit 0 stays finished', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const bot = await deployTiny(host, { name: 'with-host', bot: UP });
    const ends = await deployTiny(host, { name: 'finishes', bot: `console.log('only once');` });
    await lineUntil(host, bot.bot_id, 'up ');
    const done = await botUntil(host, ends.bot_id, 'completed', (one) => one.status === 'stopped');
    expect(done).toMatchObject({
      reason: { code: 'COMPLETED' },
      enabled: true,
      last_run: { status: 'succeeded', exit_code: 0 },
    });
    await host.stop();
    expect(pidsUnder(host.dataDir)).toEqual([]);
    await host.start();
    expect(host.log).not.toContain('without being stopped');
    const back = await botUntil(host, bot.bot_id, 'running again', (one) => one.status === 'running');
    expect(back.restarts).toBe(0);
    const [, first] = await runsOf(host, bot.bot_id);
    expect(first).toMatchObject({ status: 'stopped' });
    expect(await getBot(host, ends.bot_id)).toMatchObject({ status: 'stopped', reason: { code: 'COMPLETED' } });
    expect(await runsOf(host, ends.bot_id)).toHaveLength(1);
    await call(host, 'POST', `/api/v1/bots/${ends.bot_id}/start`);
    await until('a second run', async () => (await runsOf(host, ends.bot_id)).length === 2);
  });
});

describe.concurrent('scheduled bots', () => {
  it('runs by hand, and refuses a second run beside it', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(host, { name: 'slow-one', type: 'scheduled', bot: UP });
    expect(bot).toMatchObject({ status: 'scheduled', next_run_at: expect.stringMatching(/-01-01T00:00:00\.000Z$/) });
    const run = await call<{ run_id: string }>(host, 'POST', `/api/v1/bots/${bot.bot_id}/run`);
    expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'running', run_id: run.run_id });
    const second = await host.fetch(`/api/v1/bots/${bot.bot_id}/run`, { method: 'POST' });
    expect([second.status, JSON.parse(await second.text()).error.code]).toEqual([409, 'BOT_RUNNING']);
  });

  it('times out', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(
      host,
      { name: 'too-slow', type: 'scheduled', bot: UP },
      { options: { timeout_sec: 1 } },
    );
    await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/run`);
    const ended = await until('the time-out', async () =>
      (await runsOf(host, bot.bot_id)).find((one) => one.ended_at !== null),
    );
    expect(ended).toMatchObject({ status: 'timed_out', trigger: 'manual', reason: { code: 'TIMED_OUT' } });
    expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'scheduled' });
  });

  it('runs by hand while it is disabled, until it is stopped again', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const bot = await deployTiny(
      host,
      { name: 'by-hand', type: 'scheduled', bot: UP },
      { schedule: '0 0 1 1 *', enabled: false },
    );
    const at = `/api/v1/bots/${bot.bot_id}`;
    const { run_id } = await call<{ run_id: string }>(host, 'POST', `${at}/run`);
    await lineUntil(host, bot.bot_id, 'up ');
    // Brings the bot in line, as every tick of the scheduler does.
    await call(host, 'PATCH', at, { name: 'by hand, renamed' });
    expect(await getBot(host, bot.bot_id)).toMatchObject({ status: 'running', enabled: false, run_id });
    await expect(call(host, 'POST', `${at}/restart`)).rejects.toThrow(/only realtime bots are restarted/);
    expect(await call(host, 'POST', `${at}/stop`)).toMatchObject({ status: 'stopping' });
    const stopped = await botUntil(host, bot.bot_id, 'stopped', (one) => one.status === 'stopped');
    expect(stopped.last_run).toMatchObject({ run_id, status: 'stopped' });
  });

  it('takes the result the bot wrote, and calls status error a failure', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const write = (value: object) =>
      `import { writeFileSync } from 'node:fs'; writeFileSync(process.env.RESULT_FILE, ${JSON.stringify(JSON.stringify(value))});`;
    const good = await deployTiny(host, {
      name: 'good-result',
      type: 'scheduled',
      bot: write({ status: 'success', message: 'fine', n: 1 }),
    });
    const bad = await deployTiny(host, {
      name: 'bad-result',
      type: 'scheduled',
      bot: write({ status: 'error', message: 'no funds' }),
    });
    for (const bot of [good, bad]) await call(host, 'POST', `/api/v1/bots/${bot.bot_id}/run`);
    const one = await until('the good end', async () =>
      (await runsOf(host, good.bot_id)).find((run) => run.ended_at !== null),
    );
    expect(one).toMatchObject({ status: 'succeeded', result: { status: 'success', message: 'fine', n: 1 } });
    const two = await until('the bad end', async () =>
      (await runsOf(host, bad.bot_id)).find((run) => run.ended_at !== null),
    );
    expect(two).toMatchObject({ status: 'failed', exit_code: 0, reason: { code: 'BOT_ERROR', message: 'no funds' } });
  });
});

function tryJson(text: string): object {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
