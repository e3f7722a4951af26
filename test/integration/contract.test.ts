import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { sharedHost, testHost } from '../support/platform.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, logsOf, publish, runsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const STAY = 'setInterval(() => {}, 1000);';

/** The error of a refused request. */
async function errorOf(response: Response): Promise<{ code: string; message: string }> {
  const body = (await response.json()) as { error: { code: string; message: string } };
  return body.error;
}

/** Every file below a folder, as bytes. */
function filesUnder(dir: string): Buffer[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path));
}

const shared = sharedHost();

describe.concurrent('errors in the promised words', () => {
  it('says Custom bot not found, Bot not found, and who may know no more', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const post = (body: object) => host.fetch('/api/v1/bots', { method: 'POST', body: JSON.stringify(body) });
    const request = { name: 'n', type: 'realtime/no-such-bot', version: '1.0.0', config: {} };
    const absent = await post(request);
    expect([absent.status, await errorOf(absent)]).toMatchObject([
      404,
      { code: 'CUSTOM_BOT_NOT_FOUND', message: 'Custom bot not found' },
    ]);
    await publish(host, { name: 'one-version', bot: STAY });
    const version = await post({ ...request, type: 'realtime/one-version', version: '9.9.9' });
    expect((await errorOf(version)).message).toBe('Custom bot not found');
    const bot = await host.fetch('/api/v1/bots/bot_01k00000000000000000000000');
    expect([bot.status, await errorOf(bot)]).toMatchObject([404, { code: 'BOT_NOT_FOUND', message: 'Bot not found' }]);
  });

  it('holds type, schedule and config of a request against the custom bot', async ({ onTestFinished }) => {
    const host = shared(onTestFinished);
    const schema = { type: 'object', properties: { n: { type: 'integer', maximum: 5 } }, additionalProperties: false };
    await publish(host, { name: 'real-time', bot: STAY, schema });
    await publish(host, { name: 'on-schedule', type: 'scheduled', bot: '' });
    const refused = async (request: object): Promise<string> => {
      const body = JSON.stringify({ name: 'n', version: '1.0.0', config: {}, ...request });
      const response = await host.fetch('/api/v1/bots', { method: 'POST', body });
      return (await errorOf(response)).code;
    };
    expect(await refused({ type: 'scheduled/real-time', schedule: '* * * * *' })).toBe('INVALID_REQUEST');
    expect(await refused({ type: 'realtime/real-time', schedule: '* * * * *' })).toBe('INVALID_SCHEDULE');
    expect(await refused({ type: 'scheduled/on-schedule' })).toBe('INVALID_SCHEDULE');
    expect(await refused({ type: 'scheduled/on-schedule', schedule: '* * * * * *' })).toBe('INVALID_SCHEDULE');
    expect(await refused({ type: 'realtime/real-time', config: { n: 6 } })).toBe('INVALID_CONFIG');
    expect(await refused({ type: 'realtime/real-time', config: { other: 1 } })).toBe('INVALID_CONFIG');
    const { items } = await call<{ items: { name: string }[] }>(host, 'GET', '/api/v1/bots');
    expect(items.map(({ name }) => name)).not.toContain('n');
  });
});

describe.concurrent('secrets', () => {
  const SECRET = 'zq8-Hunter2/and+more=42';
  const PRINTS = `
    const { api_key } = JSON.parse(process.env.BOT_CONFIG);
    console.log('plain ' + api_key);
    console.error('base64 ' + Buffer.from('user:' + api_key).toString('base64'));
    console.log('url ' + encodeURIComponent(api_key));
    console.log(JSON.stringify({ message: 'structured', header: { authorization: 'Bearer ' + api_key } }));
    console.log(JSON.stringify({ _metric: 'leak', note: api_key, value: 1 }));
    process.stdout.write('split ' + api_key.slice(0, 9));
    setTimeout(() => { process.stdout.write(api_key.slice(9) + '\\n'); console.log('all said'); }, 200);
    ${STAY}`;

  it('are nowhere but in the one config: not in logs, metrics, records, files or errors', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const schema = {
      type: 'object',
      properties: { api_key: { type: 'string', writeOnly: true }, n: { type: 'integer' } },
    };
    const config = { api_key: SECRET, n: 1 };
    const bot = await deployTiny(host, { name: 'leaky', bot: PRINTS, schema }, { config });
    await lineUntil(host, bot.bot_id, 'all said');
    const forms = [
      SECRET,
      encodeURIComponent(SECRET),
      Buffer.from(SECRET).toString('base64').slice(4, 24),
      SECRET.slice(0, 12),
    ];
    const shown = JSON.stringify([
      bot,
      await getBot(host, bot.bot_id),
      await logsOf(host, bot.bot_id),
      await call(host, 'GET', `/api/v1/bots/${bot.bot_id}/metrics/events`),
      await call(host, 'GET', `/api/v1/bots/${bot.bot_id}/metrics`),
      await call(host, 'GET', `/api/v1/bots/${bot.bot_id}/events`),
      await call(host, 'GET', '/api/v1/audit'),
    ]);
    for (const form of forms) expect(shown).not.toContain(form);
    expect(bot.config.api_key).toBe('********');
    expect((await logsOf(host, bot.bot_id)).filter((line) => line.masked > 0).length).toBeGreaterThanOrEqual(5);

    // A secret sent back as `********` keeps its value, and an error does not repeat a refused value.
    const update = { config: { api_key: '********', n: 2 } };
    await call(host, 'PATCH', `/api/v1/bots/${bot.bot_id}`, update);
    const wrong = await host.fetch(`/api/v1/bots/${bot.bot_id}`, {
      method: 'PATCH',
      body: JSON.stringify({ config: { api_key: 77123456, n: 2 } }),
    });
    expect([wrong.status, (await wrong.text()).includes('77123456')]).toEqual([400, false]);
    await until(
      'the lines of the second run',
      async () => (await logsOf(host, bot.bot_id)).filter((line) => line.message === 'all said').length === 2,
    );
    await host.stop();
    for (const file of filesUnder(join(host.dataDir, 'bots', bot.bot_id))) {
      for (const form of forms) expect(file.includes(form)).toBe(false);
    }
    expect(readFileSync(join(host.dataDir, 'host.log'), 'utf8')).not.toContain(SECRET);
  });
});

describe.concurrent('a due time runs exactly once', () => {
  const COUNT = `
    import { appendFileSync } from 'node:fs';
    import { join } from 'node:path';
    appendFileSync(join(process.env.STATE_DIR, '..', 'ran'), process.env.RUN_ID + '\\n');`;

  it('also when the host dies between the decision and the start; what was missed is made up for once', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished);
    const bot = await deployTiny(host, { name: 'once', type: 'scheduled', bot: COUNT });
    // Half an hour, twenty and ten minutes ago: none of them on time any more, none due again within the test.
    const minutes = [30, 20, 10].map((ago) => new Date(Date.now() - ago * 60_000).getUTCMinutes());
    const schedule = `${minutes.join(',')} * * * *`;
    const late = await deployTiny(host, { name: 'late', type: 'scheduled', bot: COUNT }, { schedule });
    await host.kill();
    const slot = Date.parse(new Date().toISOString().slice(0, 16).concat(':00.000Z'));
    const db = new Database(join(host.dataDir, 'control.db'));
    const insert = db.prepare(
      "insert into run (run_id, bot_id, version, trigger, status, slot, created_at) values (?, ?, '1.0.0', 'schedule', 'starting', ?, ?)",
    );
    insert.run('run_01k00000000000000000000000', bot.bot_id, slot, slot);
    expect(() => insert.run('run_01k00000000000000000000001', bot.bot_id, slot, slot)).toThrow(/UNIQUE/);
    db.prepare('update bot set scheduled_from = ? where bot_id = ?').run(Date.now() - 35 * 60_000, late.bot_id);
    db.close();
    await host.start();
    const ended = await until('the run', async () =>
      (await runsOf(host, bot.bot_id)).find((run) => run.ended_at !== null),
    );
    expect(ended).toMatchObject({ run_id: 'run_01k00000000000000000000000', status: 'succeeded' });
    const runs = await until('the run made up', async () => {
      const all = await runsOf(host, late.bot_id);
      return all.some((run) => run.trigger === 'catch_up' && run.ended_at !== null) ? all : null;
    });
    expect(runs.filter((run) => run.trigger === 'catch_up')).toHaveLength(1);
    const skipped = runs.filter((run) => run.status === 'skipped');
    expect(skipped).toHaveLength(2);
    expect(skipped.every((run) => run.reason?.code === 'MISSED')).toBe(true);
    await host.kill();
    await host.start();
    await botUntil(host, bot.bot_id, 'scheduled', (one) => one.status === 'scheduled');
    expect((await runsOf(host, bot.bot_id)).length).toBe(1);
    expect(readFileSync(join(host.dataDir, 'bots', bot.bot_id, 'state/ran'), 'utf8')).toBe(
      'run_01k00000000000000000000000\n',
    );
  });
});
