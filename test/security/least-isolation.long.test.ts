import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { z } from 'zod';
import type { Bot, BotEvent } from '../../src/contract/bot.ts';
import { toTimestamp } from '../../src/contract/common.ts';
import type { HostInfo } from '../../src/contract/host.ts';
import type { ExceptedBot } from '../../src/contract/isolation.ts';
import { OPERATIONS, type OperationName } from '../../src/contract/operations.ts';
import { writeBackup } from '../../src/main/host/backup/backup.ts';
import { restoreBackup } from '../../src/main/host/backup/restore.ts';
import type { Engine } from '../../src/main/host/engine/engine.ts';
import { openDataFolder } from '../../src/node/data-folder.ts';
import { HeldEngine } from '../support/held-engine.ts';
import { HostHere } from '../support/host-here.ts';
import { tempDir } from '../support/temp.ts';
import { call, deployTiny, getBot, lineUntil, publish } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

/**
 * A host that demands containers runs no program as a plain process, for any caller, operation or tool, except bots
 * that were enabled when the demand began.
 */

const STAY = `console.log('up'); setInterval(() => {}, 1000);`;
const QUERY = `import { query } from '@bot-platform/sdk'; query.handler('/q', () => ({})); query.run();`;
const PLAIN = { engine: 'process' };

/** A sandbox of which the first trials fail, as those of a busy machine do. */
class TriedEngine extends HeldEngine {
  isBusy: boolean;

  constructor(real: Engine, isBusy: boolean) {
    super(real, 'sandbox', isBusy ? 'partial' : 'sandbox');
    this.isBusy = isBusy;
    this.ready = true;
    this.nextTrial = isBusy ? { level: 'sandbox', afterMs: 10_000 } : null;
  }

  override async probe(): ReturnType<Engine['probe']> {
    if (!this.isBusy && this.level === 'partial') {
      this.level = 'sandbox';
      this.nextTrial = null;
      this.back();
    }
    return super.probe();
  }
}

/** A host whose container engine is controlled by the test, and whose process engine records its starts. */
class Watched extends HostHere {
  plain = [] as HeldEngine[];

  async begin(setting: string | null): Promise<this> {
    const engines = (real: Engine): readonly Engine[] => {
      const [docker, plain] = [new HeldEngine(real), new HeldEngine(real, 'process', 'none')];
      docker.ready = true;
      plain.ready = true;
      this.plain.push(plain);
      return [docker, plain];
    };
    return this.start(setting, undefined, { engines });
  }

  async again(setting: string | null, leave = false): Promise<void> {
    await this.stop(leave);
    await this.begin(setting);
  }

  /** Programs that the host of now has started without a container. */
  get startedPlain(): readonly string[] {
    return (this.plain.at(-1)?.started ?? []).map(({ botId, role }) => `${botId} ${role}`);
  }
}

async function watched(onTestFinished: TestContext['onTestFinished'], setting: string): Promise<Watched> {
  const host = new Watched();
  onTestFinished(() => host.stop(), 180_000);
  return host.begin(setting);
}

interface Answer {
  readonly status: number;
  readonly code: string | null;
}

async function ask(host: HostHere, method: string, path: string, body: unknown, bearer?: string): Promise<Answer> {
  const answer = await host.fetch(path, {
    method,
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    ...(bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } }),
  });
  const text = await answer.text();
  return { status: answer.status, code: answer.ok ? null : JSON.parse(text).error.code };
}

const update = (host: HostHere, { bot_id }: Bot, body: object) => ask(host, 'PATCH', `/api/v1/bots/${bot_id}`, body);

/** Operations that end what the test asks with, that hold every bot, or that fetch images from the network. */
const LEFT_OUT: readonly OperationName[] = ['host.stop', 'images.pull', 'auth.logout', 'bots.panic'];
/** Every operation with an effect except removals, after which nothing can run. */
const DOING = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => {
  const { kind, access, method } = OPERATIONS[name];
  return kind === 'call' && access !== 'open' && method !== 'GET' && method !== 'DELETE' && !LEFT_OUT.includes(name);
});

/** An input with whatever the schema of an operation requires, of `known` values where a name is known. */
function inputOf(name: OperationName, known: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const schema = z.toJSONSchema(OPERATIONS[name].input, { io: 'input', unrepresentable: 'any' });
  return Object.fromEntries((schema.required ?? []).map((key) => [key, known[key] ?? 'x']));
}

function pathOf(name: OperationName, input: Readonly<Record<string, unknown>>): string {
  return OPERATIONS[name].path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(input[key] ?? 'x')));
}

/**
 * All callers that may deploy: the owner, a user with a session, and keys of each kind, with the bots that each
 * reaches.
 */
async function attackers(host: Watched, realtime: Bot, scheduled: Bot) {
  const password = 'a long enough password';
  await call(host, 'POST', '/api/v1/users', { name: 'second', password });
  const { token } = await call<{ token: string }>(host, 'POST', '/api/v1/auth/login', { name: 'second', password });
  const key = async (input: object): Promise<string> =>
    (await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: `k${Math.random()}`, ...input })).key;
  return {
    owner: undefined,
    user: token,
    full: await key({ scope: 'full', extended: true }),
    deploy: await key({ scope: 'deploy', extended: true }),
    named: await key({ scope: 'deploy', extended: true, bots: [realtime.bot_id, scheduled.bot_id] }),
  };
}

describe.concurrent('a host that demands containers', () => {
  it('runs nothing as a plain process, whoever asks through whichever operation or tool', async ({
    onTestFinished,
  }) => {
    const host = await watched(onTestFinished, 'process');
    const realtime = await deployTiny(host, { name: 'evil', bot: STAY, query: QUERY }, { enabled: false });
    const cron = { name: 'evil-cron', type: 'scheduled', bot: STAY, query: QUERY } as const;
    const scheduled = await deployTiny(host, cron, { enabled: false });
    const dir = tempDir('least-');
    const template = { dir: join(dir, 'project'), template: 'node' };
    const project = await call<{ project_id: string }>(host, 'POST', '/api/v1/projects/create', template);
    await host.again('docker');
    const boxed = await deployTiny(host, { name: 'boxed', bot: STAY, query: QUERY });
    const who = await attackers(host, realtime, scheduled);
    const refused = new Set<string>();
    for (const [as, bearer] of Object.entries(who)) {
      for (const bot of [realtime, scheduled, boxed]) {
        for (const name of DOING) {
          const input = inputOf(name, {
            bot_id: bot.bot_id,
            name: `${as}-${name}`,
            type: bot.type,
            version: '1.0.0',
            path: name === 'bots.query' ? '/q' : 'x',
            project_id: project.project_id,
            key: 'x',
          });
          const wishes = [{}, { options: PLAIN, enabled: true, config: {} }];
          const schedule = bot.type.startsWith('scheduled/') && name === 'bots.deploy' ? { schedule: '* * * * *' } : {};
          const query = name === 'bots.query' ? { path: '/q' } : {};
          for (const wish of wishes) {
            const { code } = await ask(
              host,
              OPERATIONS[name].method,
              pathOf(name, input),
              { ...input, ...schedule, ...query, ...wish },
              bearer,
            );
            if (code === 'ISOLATION_REQUIRED') refused.add(name);
          }
        }
      }
    }
    // What could have run it is refused for that reason, and by no accident of the input.
    expect([...refused].sort()).toEqual(
      ['bots.deploy', 'bots.query', 'bots.run', 'bots.start', 'bots.update', 'projects.run'].sort(),
    );
    for (const lane of ['/mcp', '/mcp/extended']) {
      const rpc = async (method: string, params: object): Promise<{ tools: { name: string }[] }> => {
        const headers = { 'x-api-key': who.full, authorization: '', accept: 'application/json, text/event-stream' };
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
        return JSON.parse(await (await host.fetch(lane, { method: 'POST', body, headers })).text()).result;
      };
      const { tools } = await rpc('tools/list', {});
      for (const { name } of tools.filter((tool) => !tool.name.includes('delete'))) {
        for (const bot of [realtime, scheduled, boxed]) {
          const { bot_id, type } = bot;
          const wish = { options: PLAIN, engine: 'process', enabled: true };
          const config = { name: `${lane}-${name}`, type, version: '1.0.0', config: {}, settings: {}, ...wish };
          for (const sent of [{ bot_id }, { bot_id, config }, { config }, { bot_id, ...config }, { ...config }])
            await rpc('tools/call', { name, arguments: sent });
        }
      }
    }
    expect(host.startedPlain).toEqual([]);
    expect((await getBot(host, realtime.bot_id)).isolation_exception).toBeNull();
    const { items } = await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots');
    expect(items.filter((bot) => bot.enabled && bot.engine === 'process')).toEqual([]);
  }, 180_000);

  it('refuses to run a project as a plain process', async ({ onTestFinished }) => {
    const host = await watched(onTestFinished, 'docker');
    const dir = tempDir('least-');
    const mark = join(dir, 'ran');
    const project = join(dir, 'bot');
    mkdirSync(join(project, 'src'), { recursive: true });
    writeFileSync(
      join(project, 'src/bot.mjs'),
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(mark)}, '');`,
    );
    writeFileSync(
      join(project, 'bot-config.yaml'),
      'name: own\nversion: "1.0.0"\ntype: realtime\nruntime: nodejs22\nentrypoints:\n  bot: src/bot.mjs\nschema:\n  bot: bot-schema.json\n',
    );
    writeFileSync(join(project, 'bot-schema.json'), JSON.stringify({ type: 'object', title: 'own', description: 'x' }));
    writeFileSync(join(project, 'instance.json'), '{"config": {}}');
    const { project_id } = await call<{ project_id: string }>(host, 'POST', '/api/v1/projects', { dir: project });
    expect(await ask(host, 'POST', `/api/v1/projects/${project_id}/run`, {})).toEqual({
      status: 403,
      code: 'ISOLATION_REQUIRED',
    });
    await host.again('process');
    await call(host, 'POST', `/api/v1/projects/${project_id}/run`, {});
    await expect.poll(() => existsSync(mark), { timeout: 60_000 }).toBe(true);
  }, 120_000);

  it('installs no dependencies of a project that is published here, whose packages run code of their own', async ({
    onTestFinished,
  }) => {
    const host = await watched(onTestFinished, 'docker');
    const dir = tempDir('least-');
    const created = { dir: join(dir, 'project'), template: 'node' };
    const { project_id } = await call<{ project_id: string }>(host, 'POST', '/api/v1/projects/create', created);
    const dependency = join(created.dir, 'dependency');
    mkdirSync(dependency);
    const json = (value: object): string => JSON.stringify({ version: '1.0.0', ...value });
    writeFileSync(join(dependency, 'package.json'), json({ name: 'dependency' }));
    writeFileSync(
      join(created.dir, 'package.json'),
      json({ name: 'project', type: 'module', dependencies: { dependency: 'file:dependency' } }),
    );
    const publish = (): Promise<Answer> => ask(host, 'POST', `/api/v1/projects/${project_id}/publish`, {});
    expect(await publish()).toEqual({ status: 403, code: 'ISOLATION_REQUIRED' });
    await host.again('process');
    expect(await publish()).toMatchObject({ status: 201 });
  }, 120_000);

  it('keeps bots that were enabled before as exceptions that are told, cover one version, and end for good', async ({
    onTestFinished,
  }) => {
    const host = await watched(onTestFinished, 'process');
    const bot = await deployTiny(host, { name: 'old', bot: STAY });
    await publish(host, { name: 'old', version: '2.0.0', bot: STAY });
    const { run_id } = await getBot(host, bot.bot_id);
    await host.again('docker', true);
    const kept = await getBot(host, bot.bot_id);
    expect(kept).toMatchObject({
      status: 'running',
      run_id,
      engine: 'process',
      isolation_exception: { level: 'none', least: 'container', message: expect.stringContaining('"docker"') },
    });
    const since = Date.parse(kept.isolation_exception?.since ?? '');
    expect(toTimestamp(since)).toBe(kept.isolation_exception?.since);
    const { items } = await call<{ items: BotEvent[] }>(host, 'GET', `/api/v1/bots/${bot.bot_id}/events`);
    expect(
      items.filter(({ changes }) => changes.some(({ message }) => message.includes('as an exception'))),
    ).toHaveLength(1);
    // It may be stopped, started and reconfigured; a version that never ran here may not.
    expect(await ask(host, 'POST', `/api/v1/bots/${bot.bot_id}/stop`, {})).toMatchObject({ status: 200 });
    expect(await ask(host, 'POST', `/api/v1/bots/${bot.bot_id}/start`, {})).toMatchObject({ status: 200 });
    expect(await update(host, bot, { options: { memory_mb: 512 } })).toMatchObject({ status: 200 });
    expect(await update(host, bot, { version: '2.0.0' })).toEqual({ status: 403, code: 'ISOLATION_REQUIRED' });
    expect((await getBot(host, bot.bot_id)).version).toBe('1.0.0');
    // A flag that is left out, and a file that says otherwise, lower nothing.
    writeFileSync(join(host.dataDir, 'settings.json'), '{"engine": "process"}');
    await host.again(null);
    expect(await call<HostInfo>(host, 'GET', '/api/v1/host')).toMatchObject({ least_isolation: 'container' });
    expect((await getBot(host, bot.bot_id)).isolation_exception?.since).toBe(kept.isolation_exception?.since);
    expect(await deployTiny(host, { name: 'new', bot: STAY })).toMatchObject({
      engine: 'docker',
      isolation_exception: null,
    });
    // Once it has moved there is no way back, nor by another start of the host.
    expect(await update(host, bot, { version: '2.0.0', options: { engine: 'docker' } })).toMatchObject({ status: 200 });
    expect(await getBot(host, bot.bot_id)).toMatchObject({ engine: 'docker', isolation_exception: null });
    expect(await update(host, bot, { options: PLAIN })).toEqual({ status: 403, code: 'ISOLATION_REQUIRED' });
    await host.again('docker');
    expect(await getBot(host, bot.bot_id)).toMatchObject({ engine: 'docker', isolation_exception: null });
    expect(host.startedPlain).toEqual([]);
    // A new start of the host may lower the demand.
    await host.again('process');
    expect(await update(host, bot, { options: PLAIN })).toMatchObject({ status: 200 });
    await lineUntil(host, bot.bot_id, 'up');
  }, 180_000);

  it("lets an owner end the exception of another user's bot, and nobody else", async ({ onTestFinished }) => {
    const host = await watched(onTestFinished, 'process');
    const password = 'a long enough password';
    await call(host, 'POST', '/api/v1/users', { name: 'second', password });
    const { token } = await call<{ token: string }>(host, 'POST', '/api/v1/auth/login', { name: 'second', password });
    const authorization = `Bearer ${token}`;
    const second = {
      fetch: (path: string, init: RequestInit = {}) =>
        host.fetch(path, { ...init, headers: { ...init.headers, authorization } }),
    };
    const theirs = await deployTiny(second, { name: 'theirs', bot: STAY });
    await deployTiny(host, { name: 'off', bot: STAY }, { enabled: false });
    await host.again('docker', true);
    const list = '/api/v1/host/exceptions';
    const { items } = await call<{ items: ExceptedBot[] }>(host, 'GET', list);
    expect(items).toMatchObject([
      { bot_id: theirs.bot_id, name: 'theirs', user: 'second', level: 'none', least: 'container' },
    ]);
    const end = { bot_id: theirs.bot_id };
    const { key } = await call<{ key: string }>(host, 'POST', '/api/v1/keys', { name: 'k' });
    for (const [bearer, code] of [
      [token, 'FORBIDDEN'],
      [key, 'SESSION_REQUIRED'],
    ] as const) {
      expect(await ask(host, 'GET', list, {}, bearer)).toEqual({ status: 403, code });
      expect(await ask(host, 'POST', `${list}/end`, end, bearer)).toEqual({ status: 403, code });
    }
    expect((await getBot(second, theirs.bot_id)).isolation_exception).not.toBeNull();
    expect(await call(host, 'POST', `${list}/end`, end)).toEqual({ ...end, engine: 'docker' });
    const moved = await getBot(second, theirs.bot_id);
    expect(moved).toMatchObject({ engine: 'docker', options: { engine: 'docker' }, isolation_exception: null });
    const events = await call<{ items: BotEvent[] }>(second, 'GET', `/api/v1/bots/${theirs.bot_id}/events`);
    expect(events.items.flatMap(({ changes }) => changes.map(({ message }) => message))).toContainEqual(
      expect.stringContaining('An owner of the host ended'),
    );
    expect(await ask(host, 'POST', `${list}/end`, end)).toEqual({ status: 404, code: 'BOT_NOT_FOUND' });
    expect(await call(host, 'GET', list)).toEqual({ items: [] });
    expect(host.startedPlain).toEqual([]);
  }, 120_000);

  it('takes neither a lower demand nor an ended exception from a backup', async ({ onTestFinished }) => {
    const host = await watched(onTestFinished, 'process');
    const moved = await deployTiny(host, { name: 'moved', bot: STAY });
    const stays = await deployTiny(host, { name: 'stays', bot: STAY });
    const folder = openDataFolder(host.dataDir);
    const backup = async (): Promise<string> =>
      (await writeBackup({ folder, withLogs: false, version: '0.1.0', now: Date.now })).file;
    await host.stop();
    const before = await backup();
    await host.begin('docker');
    await host.stop();
    const during = await backup();
    await host.begin('docker');
    expect(await update(host, moved, { options: { engine: 'docker' } })).toMatchObject({ status: 200 });
    for (const [file, exceptions] of [
      [during, [null, expect.anything()]],
      [before, [null, null]],
    ] as const) {
      await host.stop();
      await restoreBackup({ folder, file, startBots: true, now: Date.now, endPrograms: async () => [] });
      await host.begin(null);
      expect(await call<HostInfo>(host, 'GET', '/api/v1/host')).toMatchObject({ least_isolation: 'container' });
      const seen = await Promise.all([getBot(host, moved.bot_id), getBot(host, stays.bot_id)]);
      expect(seen.map((bot) => bot.engine)).toEqual(['process', 'process']);
      expect(seen.map((bot) => bot.isolation_exception)).toEqual(exceptions);
      expect(seen[0]).toMatchObject({ status: 'failed', reason: { code: 'ISOLATION_REQUIRED' } });
      expect(host.startedPlain).not.toContain(`${moved.bot_id} bot`);
    }
  }, 180_000);
});

describe.concurrent('a host that demands the sandbox', () => {
  it('tries it again before it refuses a start, and starts what has waited', async ({ onTestFinished }) => {
    const host = new HostHere();
    onTestFinished(() => host.stop(), 180_000);
    let sandbox: TriedEngine | null = null;
    const begin = async (isBusy: boolean): Promise<TriedEngine> => {
      await host.start('sandbox', undefined, {
        engines: (real) => {
          sandbox = new TriedEngine(real, isBusy);
          return [sandbox, new HeldEngine(real, 'process', 'none')];
        },
      });
      if (sandbox === null) throw new Error('the host asks for its engines');
      return sandbox;
    };
    await begin(false);
    const stays = await deployTiny(host, { name: 'stays', bot: STAY });
    const cron = await deployTiny(host, { name: 'cron', type: 'scheduled', bot: `console.log('ran');` });
    expect(await call<HostInfo>(host, 'GET', '/api/v1/host')).toMatchObject({ least_isolation: 'sandbox' });
    await host.stop();

    const first = await begin(true);
    const seen = await until('a start that is refused', async () => {
      const { items } = await call<{ items: BotEvent[] }>(host, 'GET', `/api/v1/bots/${stays.bot_id}/events`);
      return items.find(({ reason }) => reason?.code === 'ISOLATION_REQUIRED');
    });
    expect(seen).toMatchObject({ status: 'backing_off', reason: { hint: expect.stringContaining('Another trial') } });
    first.isBusy = false;
    await until('the bot to run', async () => (await getBot(host, stays.bot_id)).status === 'running');
    expect(await getBot(host, stays.bot_id)).toMatchObject({ isolation: 'sandbox', reason: null });
    await call(host, 'POST', `/api/v1/bots/${stays.bot_id}/stop`);

    // For each of these the first trial after the busy time.
    const requests = [
      () => call(host, 'POST', `/api/v1/bots/${cron.bot_id}/run`),
      () => call(host, 'POST', `/api/v1/bots/${stays.bot_id}/start`),
      () => call(host, 'PATCH', `/api/v1/bots/${stays.bot_id}`, { config: {}, enabled: true }),
      () => deployTiny(host, { name: 'another', bot: STAY }),
    ];
    for (const request of requests) {
      await call(host, 'POST', `/api/v1/bots/${stays.bot_id}/stop`);
      await host.stop();
      const busy = await begin(true);
      busy.isBusy = false;
      await request();
      expect(busy.level).toBe('sandbox');
    }
    await lineUntil(host, cron.bot_id, 'ran');
  });
});
