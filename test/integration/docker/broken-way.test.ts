import { describe, expect, it } from 'vitest';
import type { Bot } from '../../../src/contract/bot.ts';
import { MayRun } from '../../../src/main/host/engine/engine.ts';
import { containersOf } from '../../support/docker/containers.ts';
import { CutWay } from '../../support/docker/cut-way.ts';
import { dockerAt, dockerForTests } from '../../support/docker.ts';
import { containerSpec, dockerEngine, newHostId } from '../../support/docker-engine.ts';
import { testHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { botUntil, call, deployTiny, getBot, lineUntil } from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const found = await dockerForTests();
const address = 'host' in found ? found.host : '';
const UP = `console.log('up ' + process.env.RUN_ID); setInterval(() => {}, 1000);`;
const START = /^POST \/containers\/\w+\/start/;
const ALONE = { options: { network: 'none' } };
const bot = (name: string) => ({ name, runtime: 'nodejs24', bot: UP });

describe.skipIf('reason' in found)('a way to the engine that breaks', () => {
  it('in the moment of a start: the one copy that runs is taken over, and none is started beside it', async ({
    onTestFinished,
  }) => {
    const way = await CutWay.open(address);
    onTestFinished(() => way.close());
    // A host that leaves the choice to each bot: one that demands Docker refuses the other engine below.
    const host = await testHost(onTestFinished, undefined, way.address, { PLATFORM_ENGINE: 'auto' });
    onTestFinished(async () => {
      for (const { Id } of await containersOf(address, host.dataDir)) {
        await dockerAt(address).getContainer(Id).remove({ force: true });
      }
    });
    // Once before, so that the image is looked at.
    const first = await deployTiny(host, bot('first'), ALONE);
    await lineUntil(host, first.bot_id, 'up ');
    way.cutAt(START);
    const { bot_id: id } = await deployTiny(host, bot('second'), ALONE);
    const stuck = await botUntil(host, id, 'the loss', (one) => one.reason?.code === 'NOT_ADOPTED');
    // Neither another engine nor a second start gets past a copy that may run.
    await call<Bot>(host, 'PATCH', `/api/v1/bots/${id}`, { options: { engine: 'process' } });
    expect((await getBot(host, id)).reason?.code).toBe(stuck.reason?.code);
    way.heal();
    const own = async () =>
      (await containersOf(address, host.dataDir)).filter(({ Labels }) => Labels['bot-platform.bot'] === id);
    // The old copy is found again, and ended for the new engine.
    await botUntil(host, id, 'the new engine', (one) => one.status === 'running' && one.engine === 'process');
    await until('its container to go', async () => (await own()).length === 0);
    expect(await getBot(host, first.bot_id)).toMatchObject({ status: 'running', restarts: 0 });
  });

  it('says of a start that it may run', async ({ onTestFinished }) => {
    const way = await CutWay.open(address);
    onTestFinished(() => way.close());
    const hostId = newHostId();
    const { engine } = dockerEngine(way.address, hostId);
    const spec = containerSpec(tempDir(), 'sleeper.sh', { network: 'none' });
    await engine.prepare(spec.runtime);
    way.cutAt(START);
    let handle: Parameters<typeof engine.adopt>[1] | null = null;
    const failure = await engine
      .start(spec, (made) => {
        handle = made;
      })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MayRun);
    if (handle === null) throw new Error('created was not called');
    expect(await engine.isGone(spec, handle)).toBe(false);
    way.heal();
    await until('the way', async () => (await engine.probe()).available);
    const unit = await engine.adopt(spec, handle);
    expect(await unit.stop(0)).toMatchObject({ signal: 'SIGKILL' });
    // A container that another engine has is neither taken over nor given up.
    const foreign = { ...(handle as object), engine: 'docker', daemon: 'another', container: 'c0ffee' };
    const other = containerSpec(tempDir(), 'sleeper.sh', { network: 'none' });
    await expect(engine.adopt(other, foreign)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    expect(await engine.isGone(other, foreign)).toBe(false);
    expect(await engine.isGone(other, { ...foreign, boot: 'an earlier boot' })).toBe(true);
    await engine.close();
  });

  it('that is slow: an engine that is let go of has removed what has ended', async ({ onTestFinished }) => {
    const way = await CutWay.open(address);
    onTestFinished(() => way.close());
    const hostId = newHostId();
    const { engine, reports } = dockerEngine(way.address, hostId);
    const spec = containerSpec(tempDir(), 'sleeper.sh', { role: 'query', queryRun: true, network: 'none' });
    await engine.prepare(spec.runtime);
    const unit = await engine.start(spec, () => undefined);
    way.slowDown(/^DELETE \/containers/, 500);
    await unit.stop(0);
    await engine.close();
    const label = [`bot-platform.host=${hostId}`];
    expect(await dockerAt(address).listContainers({ all: true, filters: { label } })).toEqual([]);
    expect(reports).toEqual([]);
  });

  it('that hangs is told within seconds, and a host without it stops', async ({ onTestFinished }) => {
    const way = await CutWay.open(address);
    onTestFinished(() => way.close());
    const host = await testHost(onTestFinished, undefined, way.address);
    onTestFinished(async () => {
      for (const { Id } of await containersOf(address, host.dataDir)) {
        await dockerAt(address).getContainer(Id).remove({ force: true });
      }
    });
    const { bot_id: id } = await deployTiny(host, bot('asked'), ALONE);
    await lineUntil(host, id, 'up ');
    way.hang();
    await botUntil(host, id, 'the loss', (one) => one.reason?.code === 'ENGINE_LOST');
    const before = performance.now();
    const info = await call<{ engines: { name: string; available: boolean }[] }>(host, 'GET', '/api/v1/host');
    expect(info.engines.find(({ name }) => name === 'docker')).toMatchObject({ available: false });
    expect(performance.now() - before).toBeLessThan(20_000);
    way.heal();
    await botUntil(host, id, 'the return', (one) => one.reason === null);
    expect(await getBot(host, id)).toMatchObject({ status: 'running', restarts: 0 });
  });
});
