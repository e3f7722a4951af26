import { beforeAll, describe, expect, it } from 'vitest';
import { importImages } from '../../../scripts/test-images.ts';
import type { Bot } from '../../../src/contract/bot.ts';
import { LABELS } from '../../../src/main/host/engine/docker/container-create-options.ts';
import { hostIdOf } from '../../../src/node/host-id.ts';
import { COUNTING, countLines } from '../../support/counting-bot.ts';
import { containersOf } from '../../support/docker/containers.ts';
import { Daemon, dockerForTests, whyNoDaemon } from '../../support/docker.ts';
import { containerSpec, dockerEngine, newHostId } from '../../support/docker-engine.ts';
import { type TestHost, testHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { botUntil, call, deployTiny, getBot, lineUntil, logsOf, runsOf } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';
import { begin } from '../engine-contract.ts';

const found = await dockerForTests();
const why = 'reason' in found ? found.reason : whyNoDaemon();

const NODE = 'node:24-bookworm-slim';
const DEBIAN = 'debian:trixie-slim';
const UP = `console.log('up ' + process.env.RUN_ID); setInterval(() => {}, 1000);`;
const TICKS = `let n = 0; setInterval(() => console.log('tick ' + n++), 50);`;
const ALONE = { options: { network: 'none' } };
/** Longest until records of bots are true again after the engine answers; about a second on a machine that is not busy. */
const TRUE_AGAIN_MS = 20_000;

describe.skipIf(why !== null)('a container engine that goes away', () => {
  let daemon: Daemon;

  beforeAll(async () => {
    daemon = new Daemon({ images: [NODE, DEBIAN] });
    await daemon.start();
  });

  const bot = (name: string, source: string) => ({ name, runtime: 'nodejs24', bot: source });

  /** Waits for a bot that is true again, and that there are never two programs of the host meanwhile. */
  async function trueAgain(host: TestHost, id: string, what: string, check: (bot: Bot) => boolean): Promise<Bot> {
    const from = performance.now();
    const result = await until(what, async () => {
      const running = (await containersOf(daemon.host, host.dataDir)).filter(({ State }) => State === 'running');
      expect(running.length).toBeLessThan(2);
      const now = await getBot(host, id);
      return check(now) ? now : null;
    });
    const ms = Math.round(performance.now() - from);
    expect(ms).toBeLessThan(TRUE_AGAIN_MS);
    return result;
  }

  it('with its containers: the host goes on, and the bots start again when it is back', async ({ onTestFinished }) => {
    // With engine `docker` no bot could be deployed as a local process.
    const host = await testHost(onTestFinished, undefined, daemon.host, { PLATFORM_ENGINE: 'auto' });
    const { bot_id: id } = await deployTiny(host, bot('keeps-up', UP), ALONE);
    await lineUntil(host, id, 'up ');
    const { run_id: before } = await getBot(host, id);
    const local = await deployTiny(host, bot('ticks', TICKS), { options: { engine: 'process' } });
    await daemon.kill('SIGKILL');

    const refused = await host.fetch('/api/v1/bots', {
      method: 'POST',
      body: JSON.stringify({
        name: 'late',
        type: 'realtime/keeps-up',
        version: '1.0.0',
        config: {},
        options: { ...ALONE.options, engine: 'docker' },
      }),
    });
    expect(await refused.json()).toMatchObject({ error: { code: 'ENGINE_UNAVAILABLE', hint: expect.any(String) } });
    const { items } = await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots');
    expect(items.map(({ name }) => name).sort()).toEqual(['keeps-up', 'ticks']);
    const ticks = (await logsOf(host, local.bot_id)).length;
    await until('the local bot to go on', async () => (await logsOf(host, local.bot_id)).length > ticks + 5);

    await daemon.start();
    const again = await trueAgain(host, id, 'a new run', (now) => now.status === 'running' && now.run_id !== before);
    const [, old] = await runsOf(host, id);
    expect(old).toMatchObject({
      run_id: before,
      ended_at: expect.any(String),
      reason: { message: expect.any(String) },
    });
    await lineUntil(host, id, `up ${again.run_id}`);
    expect(await getBot(host, local.bot_id)).toMatchObject({ status: 'running', restarts: 0, run_id: local.run_id });
  });

  it('also while the host was down: it starts, and puts everything right when the engine is back', async ({
    onTestFinished,
  }) => {
    const host = await testHost(onTestFinished, undefined, daemon.host);
    const { bot_id: id } = await deployTiny(host, bot('keeps-up', UP), ALONE);
    await lineUntil(host, id, 'up ');
    const { run_id: before } = await getBot(host, id);
    const setting = { Image: DEBIAN, Cmd: ['sleep', '3600'], HostConfig: { NetworkMode: 'none' } };
    const label = { [LABELS.run]: 'run_of_nobody', [LABELS.role]: 'bot', [LABELS.bot]: 'bot_of_nobody' };
    const own = { [LABELS.host]: hostIdOf(host.dataDir) };
    const orphan = await daemon.docker.createContainer({ ...setting, Labels: { ...own, ...label } });
    const foreign = await daemon.docker.createContainer({ ...setting, Labels: label });
    onTestFinished(() => foreign.remove({ force: true }));
    await host.kill();
    await daemon.kill('SIGKILL');
    await host.start();
    await daemon.start();
    await trueAgain(host, id, 'a new run', (now) => now.status === 'running' && now.run_id !== before);
    await until('the orphan to go', () =>
      orphan.inspect().then(
        () => false,
        () => true,
      ),
    );
    await foreign.inspect();
    expect((await runsOf(host, id)).length).toBe(2);
  });

  it('and lets its containers live: nothing happens to the bot, and no line is lost', async ({ onTestFinished }) => {
    const restoring = new Daemon({ liveRestore: true, images: [NODE] });
    await restoring.start();
    const host = await testHost(onTestFinished, undefined, restoring.host);
    const { bot_id: id } = await deployTiny(host, COUNTING, ALONE);
    await lineUntil(host, id, 'line ');
    const { run_id } = await getBot(host, id);
    const [container] = await containersOf(restoring.host, host.dataDir);
    await restoring.kill('SIGKILL');
    const seen = (await logsOf(host, id)).at(-1)?.seq ?? 0;
    await until(
      'lines while the engine is away',
      async () => ((await logsOf(host, id)).at(-1)?.seq ?? 0) > seen + 5000,
    );
    await restoring.start();
    expect(await countLines(host, id)).toMatchObject({ lost: 0, doubled: 0, ordered: true });
    expect((await containersOf(restoring.host, host.dataDir)).map(({ Id }) => Id)).toEqual([container?.Id]);
    expect(await getBot(host, id)).toMatchObject({ status: 'running', restarts: 0, run_id });
    await call(host, 'POST', `/api/v1/bots/${id}/stop`);
    await botUntil(host, id, 'its stop', (now) => now.status === 'stopped');
  });

  it('whose image somebody removed says so, and goes on once it is there again', async () => {
    const { engine } = dockerEngine(daemon.host, newHostId());
    const spec = (): Parameters<typeof begin>[1] => containerSpec(tempDir(), 'exit-7.sh', { network: 'none' });
    await (await begin(engine, spec())).unit.exited;
    await daemon.docker.getImage(DEBIAN).remove({ force: true });
    const failure = await engine.start(spec(), () => undefined).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'ENGINE_UNAVAILABLE', message: expect.stringContaining(DEBIAN) });
    await importImages(daemon.docker, [DEBIAN], true);
    expect(await (await begin(engine, spec())).unit.exited).toMatchObject({ exitCode: 7 });
    await engine.close();
  });
});
