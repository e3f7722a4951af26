import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import type { Bot } from '../../src/contract/bot.ts';
import type { BotDiagnosis } from '../../src/contract/failure.ts';
import { LIMITS } from '../../src/contract/limits.ts';
import type { StateList } from '../../src/contract/state.ts';
import { dockerForTests } from '../support/docker.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, logsOf, runsOf, tell } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const found = await dockerForTests();
const ENGINES = [
  { engine: 'process', address: null, skip: false },
  { engine: 'docker', address: 'host' in found ? found.host : null, skip: 'reason' in found },
] as const;

/** Its hook keeps each reason in its state. With the word `slow` it goes on until `finish`; with `fail` it throws. */
const TRADER = {
  name: 'trader',
  runtime: 'nodejs24',
  bot: `
import { existsSync, readFileSync } from 'node:fs';
import { equity, log, on_stop, sleep, state } from '@bot-platform/sdk';
const has = (word) => existsSync(process.env.STATE_DIR + '/' + word);
on_stop('any', async (reason) => {
  state.set('calls', [...state.get('calls', []), reason]);
  log('hook for ' + reason);
  while (has('slow') && !has('finish')) await sleep(20);
  if (has('fail')) throw new Error('no route to the exchange');
});
log('trades');
setInterval(() => {
  if (has('lose') && !state.exists('lost')) {
    state.set('lost', true);
    equity({ value: 1000 });
    equity({ value: 1 });
  }
}, 20);
`,
  query: `
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { on_stop, query, state } from '@bot-platform/sdk';
on_stop('any', () => state.set('calls', ['in the query program']));
const tried = (work) => {
  try {
    return work();
  } catch (error) {
    return error.code ?? String(error);
  }
};
/** All variables that it can read of any program. */
const variables = () =>
  readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((pid) => tried(() => readFileSync('/proc/' + pid + '/environ', 'utf8').split('\\0')))
    .flatMap((entry) => (String(entry).startsWith('CONTROL_') ? [String(entry).split('=')] : []));
query.handler('/attack', () => {
  const known = Object.fromEntries(variables());
  const folders = [known.CONTROL_DIR, '/run/bot', join(dirname(process.env.HOME), 'bot.control')].filter(Boolean);
  const tokens = [known.CONTROL_TOKEN_SHA256, process.env.QUERY_TOKEN, '', null, 'ct_'];
  return folders.flatMap((folder) =>
    tokens.map((token) =>
      tried(() => {
        const line = JSON.stringify({ token, reason: 'panic', until: Date.now() + 60000 });
        writeFileSync(join(folder, 'stop'), line.padEnd(512), { flag: 'r+' });
        return 'written';
      }),
    ),
  );
});
query.run();
`,
} as const;

describe.each(ENGINES)('the stop hook on $engine', ({ engine, address, skip }) => {
  describe.skipIf(skip)('of a bot', () => {
    const begin = async (end: TestContext['onTestFinished'], words: readonly string[] = []) => {
      const host = await testHost(end, undefined, address);
      const { bot_id: id } = await deployTiny(host, TRADER);
      await lineUntil(host, id, 'trades');
      for (const word of words) tell(host, id, word);
      return { host, id };
    };
    const callsOf = async (host: TestHost, id: string): Promise<unknown> =>
      (await call<{ value: unknown }>(host, 'GET', `/api/v1/bots/${id}/state/calls`)).value;
    const again = async (host: TestHost, id: string, body: object = {}): Promise<Bot> => {
      const before = (await runsOf(host, id)).length;
      await call(host, 'POST', `/api/v1/bots/${id}/start`, body);
      await until('its next run', async () => (await runsOf(host, id)).length > before);
      await until('it to trade', async () => {
        const { run_id } = await getBot(host, id);
        return (await logsOf(host, id)).some((line) => line.run_id === run_id && line.message === 'trades');
      });
      return getBot(host, id);
    };
    const stopped = (host: TestHost, id: string): Promise<Bot> =>
      botUntil(host, id, 'it to stop', ({ status }) => status === 'stopped');

    it('is told why, once for each stop', async ({ onTestFinished }) => {
      const { host, id } = await begin(onTestFinished);
      const at = `/api/v1/bots/${id}`;
      await call(host, 'POST', `${at}/stop`);
      await stopped(host, id);
      const first = await again(host, id);
      await call(host, 'PATCH', at, { config: { changed: true } });
      await botUntil(
        host,
        id,
        'its successor',
        ({ status, run_id }) => status === 'running' && run_id !== first.run_id,
      );
      await until(
        'it to trade',
        async () => (await logsOf(host, id)).filter(({ message }) => message === 'trades').length > 2,
      );
      await host.json('panic', '--yes');
      const { hold } = await stopped(host, id);
      await again(host, id, { release: hold?.hold_id });
      await host.stop();
      await host.start();
      await until(
        'it to trade',
        async () => (await logsOf(host, id)).filter(({ message }) => message === 'trades').length > 4,
      );
      await host.json('guards', 'set', 'trader', 'drawdown', '100');
      tell(host, id, 'lose');
      await stopped(host, id);
      expect(await callsOf(host, id)).toEqual(['requested', 'update', 'panic', 'shutdown', 'guard']);
      expect((await runsOf(host, id)).map(({ status, signal }) => [status, signal])).toEqual(
        Array.from({ length: 5 }, () => ['stopped', 'SIGTERM']),
      );
    }, 180_000);

    it('goes on under the next host when a stop is cut short, and is not called again', async ({ onTestFinished }) => {
      const { host, id } = await begin(onTestFinished, ['slow']);
      await call(host, 'POST', `/api/v1/bots/${id}/stop`);
      const { ts } = await lineUntil(host, id, 'hook for requested');
      await host.kill();
      await host.start();
      tell(host, id, 'finish');
      await stopped(host, id);
      expect(await callsOf(host, id)).toEqual(['requested']);
      expect(await runsOf(host, id)).toMatchObject([{ status: 'stopped', signal: 'SIGTERM' }]);
      expect(Date.now() - Date.parse(ts)).toBeLessThan(LIMITS.stopHookMs + LIMITS.stopGraceMs);
    }, 120_000);

    it('ends in its time, also under the next host', async ({ onTestFinished }) => {
      const { host, id } = await begin(onTestFinished, ['slow']);
      const { run_id = '' } = await getBot(host, id);
      await call(host, 'POST', `/api/v1/bots/${id}/stop`);
      const { ts } = await lineUntil(host, id, 'hook for requested');
      await host.kill();
      const control = engine === 'process' ? 'bot.control' : 'bot.spool';
      const { until: end } = JSON.parse(
        readFileSync(join(host.dataDir, 'bots', id, 'runs', run_id ?? '', control, 'stop'), 'utf8'),
      );
      await host.start();
      const ready = Date.now();
      await stopped(host, id);
      const [run] = await runsOf(host, id);
      expect(run).toMatchObject({ status: 'stopped', signal: 'SIGTERM' });
      expect(end - Date.parse(ts)).toBeLessThanOrEqual(LIMITS.stopHookMs);
      // Five seconds for a machine with other work, in which it finds the program and ends it.
      const late = Date.parse(run?.ended_at ?? '') - Math.max(end, ready);
      expect([late > -500, late < 5000, late]).toEqual([true, true, late]);
      expect(await callsOf(host, id)).toEqual(['requested']);
      await lineUntil(host, id, 'The stop hook took over 10 s (requested)');
    }, 120_000);

    it('of a host that is killed while it ends makes the next host end the program and start it anew', async ({
      onTestFinished,
    }) => {
      const { host, id } = await begin(onTestFinished, ['slow']);
      const ends = host.stop().catch(() => undefined);
      await until('the hook to run', () => existsSync(join(host.dataDir, 'bots', id, 'state/.platform/calls.json')));
      await host.kill();
      await ends;
      tell(host, id, 'finish');
      await host.start();
      await until('its next run', async () => (await runsOf(host, id)).length === 2);
      await botUntil(host, id, 'it to run', ({ status }) => status === 'running');
      expect(await callsOf(host, id)).toEqual(['shutdown']);
      expect((await runsOf(host, id)).map(({ status }) => status)).toEqual(['running', 'stopped']);
    }, 120_000);

    it('is reached by no query, no other program of the run and no key', async ({ onTestFinished }) => {
      const { host, id } = await begin(onTestFinished);
      await until('its query program', async () => {
        const answer = await host.fetch(`/bot/${id}/query`, {
          method: 'POST',
          headers: { authorization: `Bearer ${host.token}` },
          body: JSON.stringify({ path: '/none' }),
        });
        return answer.status === 404;
      });
      const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'deploys', scope: 'deploy' });
      for (const token of [host.token, key]) {
        const headers = { authorization: `Bearer ${token}` };
        const ask = (path: string, body: object) =>
          host.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
        for (const path of ['/on_stop', '/stop', '/control', '/hook'])
          expect([path, (await ask(`/bot/${id}/query`, { path, params: { reason: 'panic' } })).status]).toEqual([
            path,
            404,
          ]);
        expect((await ask(`/api/v1/bots/${id}/stop`, { reason: 'panic' })).status).toBe(400);
        const attack = await ask(`/bot/${id}/query`, { path: '/attack' });
        const tries = (await attack.json()) as string[];
        expect(tries.length).toBeGreaterThan(4);
        // In a container the channel of the bot is not even there.
        expect(new Set(tries).has('written')).toBe(engine === 'process');
      }
      // The bot looks ten times a second: the line after two more looks shows that no attempt was one.
      tell(host, id, 'lose');
      await until('the bot to go on', async () => (await keysOf(host, id)).includes('lost'));
      await call(host, 'POST', `/api/v1/bots/${id}/stop`);
      await stopped(host, id);
      expect(await callsOf(host, id)).toEqual(['requested']);
    }, 120_000);

    it('that throws shows on the failure card, with its traceback in the log', async ({ onTestFinished }) => {
      const { host, id } = await begin(onTestFinished, ['fail']);
      await call(host, 'POST', `/api/v1/bots/${id}/stop`);
      await stopped(host, id);
      const { failure } = await call<BotDiagnosis>(host, 'GET', `/api/v1/bots/${id}/diagnosis`);
      expect(failure).toMatchObject({
        code: 'STOP_HOOK_FAILED',
        step: 'stop',
        message: 'The stop hook failed: no route to the exchange.',
      });
      expect(JSON.stringify(failure?.evidence)).toContain('no route to the exchange');
    }, 120_000);
  });
});

const keysOf = async (host: TestHost, id: string): Promise<string[]> =>
  (await call<StateList>(host, 'GET', `/api/v1/bots/${id}/state`)).keys.map(({ key }) => key);
