import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { dockerAt } from '../../../scripts/test-images.ts';
import { LABELS } from '../../../src/main/host/engine/docker/container-create-options.ts';
import type { DockerEngine } from '../../../src/main/host/engine/docker/docker-engine.ts';
import type { UnitHandle, UnitSpec } from '../../../src/main/host/engine/engine.ts';
import { hostIdOf } from '../../../src/node/host-id.ts';
import { containersOf } from '../../support/docker/containers.ts';
import { dockerForTests } from '../../support/docker.ts';
import { containerSpec, dockerEngine, endOfHost, newHostId } from '../../support/docker-engine.ts';
import { ROOT, testHost } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';
import { deployTiny, getBot, lineUntil } from '../../support/tiny-bot.ts';
import { output, said, stateDirOf } from '../../support/units.ts';
import { until } from '../../support/until.ts';
import { begin } from '../engine-contract.ts';

const found = await dockerForTests();
const address = 'host' in found ? found.host : '';
const docker = dockerAt(address === '' ? 'unix:///nowhere' : address);

const UP = `console.log('up ' + process.env.RUN_ID); setInterval(() => {}, 1000);`;

describe.skipIf('reason' in found).concurrent('a host that is killed', () => {
  it('beside another host of the same engine leaves that one alone, and removes only what is its own', async ({
    onTestFinished,
  }) => {
    const bot = { name: 'keeps-up', runtime: 'nodejs24', bot: UP };
    const first = await testHost(onTestFinished, undefined, address);
    const mine = await deployTiny(first, bot);
    await lineUntil(first, mine.bot_id, 'up ');
    const before = (await containersOf(address, first.dataDir)).map(({ Id, Created }) => ({ Id, Created }));
    const network = `bot-platform-${hostIdOf(first.dataDir).slice(0, 12)}`;
    const { Id: networkId } = await docker.getNetwork(network).inspect();
    const untouched = async (): Promise<void> => {
      const now = (await containersOf(address, first.dataDir)).map(({ Id, Created }) => ({ Id, Created }));
      expect(now).toEqual(before);
      expect((await docker.getNetwork(network).inspect()).Id).toBe(networkId);
    };

    const second = await testHost(onTestFinished, undefined, address);
    await untouched();
    const { bot_id: id } = await deployTiny(second, bot);
    await lineUntil(second, id, 'up ');
    const other = await getBot(second, id);
    await second.kill();

    const [like] = await docker.listContainers({ filters: { id: before.map(({ Id }) => Id) } });
    const stray = async (labels: Record<string, string>): Promise<string> => {
      const setting = {
        Image: like?.Image,
        Cmd: ['sleep', '3600'],
        Labels: labels,
        HostConfig: { NetworkMode: 'none' },
      };
      const container = await docker.createContainer(setting);
      onTestFinished(() => container.remove({ force: true }).catch(() => undefined));
      await container.start();
      return container.id;
    };
    const label = { [LABELS.run]: 'run_of_nobody', [LABELS.role]: 'bot', [LABELS.bot]: 'bot_of_nobody' };
    const orphan = await stray({ [LABELS.host]: hostIdOf(second.dataDir), ...label });
    const foreign = await stray({});
    const nearly = await stray(label);
    await second.start();
    const left = (await docker.listContainers({ all: true })).map(({ Id }) => Id);
    expect(left).not.toContain(orphan);
    expect(left).toEqual(expect.arrayContaining([foreign, nearly]));
    await untouched();
    expect(await getBot(second, other.bot_id)).toMatchObject({ status: 'running', restarts: 0, run_id: other.run_id });
    await second.stop();
    expect(await containersOf(address, second.dataDir)).toEqual([]);
    await untouched();
    expect(await getBot(first, mine.bot_id)).toMatchObject({ status: 'running', restarts: 0 });
  });
});

describe.skipIf('reason' in found).concurrent('a host that is killed in the middle of a start', () => {
  const HOST = resolve(import.meta.dirname, '../../fixtures/hosts/start-and-die.mjs');

  interface Died {
    readonly spec: UnitSpec;
    readonly handle: UnitHandle;
    /** An engine of the host that comes after. */
    readonly next: () => DockerEngine;
  }

  /** Lets a host start a unit and die. Each is a host of its own: two of one id would both make its network. */
  async function dying(dieIn: string, entry: string, onTestFinished: TestContext['onTestFinished']): Promise<Died> {
    const hostId = newHostId();
    const next = () => dockerEngine(address, hostId).engine;
    onTestFinished(() => endOfHost(address, hostId));
    const root = tempDir();
    const spec = containerSpec(root, entry);
    const handleFile = join(root, 'handle');
    const docker = {
      address,
      hostId,
      runnersDir: join(ROOT, 'resources/runners'),
      sdkDir: join(ROOT, 'resources/sdk'),
      workDir: root,
    };
    const options = JSON.stringify({ spec, stateDir: stateDirOf(spec.botId), docker, handleFile, dieIn });
    const child = spawn(process.execPath, [HOST, options], { stdio: ['ignore', 'ignore', 'inherit'] });
    await once(child, 'exit');
    return { spec, handle: JSON.parse(readFileSync(handleFile, 'utf8')), next };
  }
  const containers = (spec: UnitSpec): ReturnType<typeof docker.listContainers> =>
    docker
      .listContainers({ all: true, filters: { label: [`${LABELS.run}=${spec.runId}`] } })
      // Docker 20.10 refuses to list while one of them goes.
      .catch((error) => (error.statusCode === 404 ? containers(spec) : Promise.reject(error)));

  it('before the container runs leaves nothing that ran, and the next host removes it', async ({ onTestFinished }) => {
    const { spec, handle, next } = await dying('created', 'touch-state.sh', onTestFinished);
    expect((await containers(spec)).map(({ State }) => State)).toEqual(['created']);
    await expect(next().adopt(spec, handle)).rejects.toThrow('never started');
    expect(await next().isGone(spec, handle)).toBe(true);
    expect(await containers(spec)).toEqual([]);
    expect(existsSync(join(stateDirOf(spec.botId), '.platform/ran.json'))).toBe(false);
  });

  it('right after the container runs leaves one that the next host takes over', async ({ onTestFinished }) => {
    const { spec, handle, next } = await dying('started', 'slow-exit.sh', onTestFinished);
    const unit = await next().adopt(spec, handle);
    await said(unit, 'ready');
    await expect(next().start(spec, () => undefined)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    expect((await containers(spec)).map(({ Id }) => Id)).toEqual([handle.container]);
    writeFileSync(join(stateDirOf(spec.botId), '.platform/go.json'), '1');
    expect(await unit.exited).toMatchObject({ exitCode: 9 });
    expect(output(unit)).toBe('ready\n');
    await until('its container to go', async () => (await containers(spec)).length === 0);
  });
});

describe.skipIf('reason' in found)('the network of bots', () => {
  it('is made again when somebody has removed it', async () => {
    const { engine } = dockerEngine(address, newHostId());
    const first = await begin(engine, containerSpec(tempDir(), 'exit-7.sh'));
    await first.unit.exited;
    const network = docker.getNetwork(engine.network.name);
    const { Id } = await network.inspect();
    await until('nothing to be on it', () =>
      network.remove().then(
        () => true,
        () => false,
      ),
    );
    const second = await begin(engine, containerSpec(tempDir(), 'exit-7.sh'));
    expect(await second.unit.exited).toMatchObject({ exitCode: 7 });
    expect((await network.inspect()).Id).not.toBe(Id);
    await until('nothing to be on it', () =>
      network.remove().then(
        () => true,
        () => false,
      ),
    );
    await engine.close();
  });

  it('is one again when there are two of its name, which the engine calls ambiguous', async () => {
    const hostId = newHostId();
    const { engine } = dockerEngine(address, hostId);
    const Name = engine.network.name;
    for (const _ of [1, 2]) await docker.createNetwork({ Name, Labels: { [LABELS.host]: hostId } });
    await expect(docker.getNetwork(Name).inspect()).rejects.toThrow('ambiguous');
    const { unit } = await begin(engine, containerSpec(tempDir(), 'exit-7.sh'));
    expect(await unit.exited).toMatchObject({ exitCode: 7 });
    expect((await docker.listNetworks({ filters: { name: [Name] } })).length).toBe(1);
    await until('its network to go', async () => {
      await engine.network.release();
      return (await docker.listNetworks({ filters: { name: [Name] } })).length === 0;
    });
    await engine.close();
  });
});
