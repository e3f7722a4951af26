import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bot } from '../../../src/contract/bot.ts';
import type { ImageInfo } from '../../../src/contract/host.ts';
import { compile } from '../../support/compile.ts';
import { containersOf } from '../../support/docker/containers.ts';
import { Daemon, dockerAt, dockerForTests, Registry, whyNoDaemon } from '../../support/docker.ts';
import { ROOT, TestHost, testHost } from '../../support/platform.ts';
import { everyVariant } from '../../support/proof.ts';
import { tempDir } from '../../support/temp.ts';
import {
  botUntil,
  call,
  deployTiny,
  getBot,
  lineUntil,
  logsOf,
  publish,
  publishFolder,
  runsOf,
} from '../../support/tiny-bot.ts';
import { until } from '../../support/until.ts';

const found = await dockerForTests();
const address = 'host' in found ? found.host : null;
const docker = dockerAt(address ?? 'unix:///none');
const MB = 1_000_000;

/** A settings file that names images. */
function images(chosen: Record<string, string>) {
  return (dataDir: string): void => writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ images: chosen }));
}

const NODE_BOT = `console.log('up'); setInterval(() => {}, 1000);`;
const PYTHON_BOT = `import time\nprint('up')\nwhile True:\n    time.sleep(1)\n`;

async function imageOf(host: TestHost, runtime: string): Promise<ImageInfo> {
  const { items } = await call<{ items: ImageInfo[] }>(host, 'GET', '/api/v1/images');
  const one = items.find((each) => each.runtime === runtime);
  if (one === undefined) throw new Error(`no image for ${runtime}`);
  return one;
}

const pull = (host: TestHost, runtime: string) => call<ImageInfo>(host, 'POST', `/api/v1/images/${runtime}/pull`);

async function pulled(host: TestHost, runtime: string): Promise<ImageInfo> {
  return until(`the pull for ${runtime}`, async () => {
    const image = await imageOf(host, runtime);
    return image.pull === null ? image : null;
  });
}

/** This machine's shell and its libraries: the least that a native bot needs. */
function shell(): Record<string, Buffer> {
  const linked = execFileSync('ldd', ['/bin/sh'], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g);
  return Object.fromEntries(
    ['/bin/sh', ...[...linked].map((match) => match[1] ?? '')].map((path) => [path.slice(1), readFileSync(path)]),
  );
}

/** A registry with an image in which gcc13 bots run; its upper layer is new to every engine. */
const smallRegistry = (name: string): Promise<Registry> =>
  Registry.start(name, [shell(), { 'opt/new': randomBytes(3 * MB) }]);

const STAYS = '#include <cstdio>\n#include <unistd.h>\nint main() { puts("up"); fflush(stdout); for (;;) pause(); }\n';
let program: Promise<string> | undefined;

async function compiled(): Promise<string> {
  const file = join(tempDir('program-'), 'stays');
  const source = `${file}.cpp`;
  writeFileSync(source, STAYS);
  await compile(source, file, ['-static']);
  return file;
}

/** Publishes and deploys a bot that is a program itself. */
async function deployedProgram(host: TestHost): Promise<Bot> {
  const dir = tempDir('program-');
  program ??= compiled();
  cpSync(await program, join(dir, 'stays'));
  writeFileSync(
    join(dir, 'bot-config.yaml'),
    'name: waiting\nversion: "1.0.0"\ntype: realtime\nruntime: gcc13\nentrypoints:\n  bot: stays\nschema:\n  bot: bot-schema.json\n',
  );
  writeFileSync(
    join(dir, 'bot-schema.json'),
    '{"type":"object","title":"waiting","description":"test","properties":{}}',
  );
  const published = await publishFolder(host, dir);
  expect(published.status, await published.text()).toBe(201);
  return call(host, 'POST', '/api/v1/bots', {
    name: 'waiting',
    type: 'realtime/waiting',
    version: '1.0.0',
    config: {},
  });
}

/** Removes images by their names, there or not. */
async function removeImages(...names: string[]): Promise<void> {
  for (const name of names) {
    await docker
      .getImage(name)
      .remove({ force: true })
      .catch((error: { statusCode?: number }) => {
        if (error.statusCode !== 404) throw error;
      });
  }
}

async function deployed(host: TestHost, runtime: string, name = `bot-${runtime}`): Promise<Bot> {
  const bot = runtime.startsWith('python') ? PYTHON_BOT : NODE_BOT;
  return deployTiny(host, { name, runtime, bot });
}

describe.skipIf(address === null).concurrent('an image that is fetched', () => {
  it('a bot waits for it, says how far it is, and starts by itself; others come and go meanwhile', async ({
    onTestFinished,
  }) => {
    const registry = await smallRegistry('tests/slow');
    const name = `${registry.reference}:1`;
    const upper = registry.hold(1);
    onTestFinished(async () => {
      await registry[Symbol.asyncDispose]();
      await removeImages(name);
    });
    const host = await testHost(onTestFinished, images({ gcc13: name }), address);
    // The pull stands still until it is let go on below, so that nothing that returns has waited for its end.
    const bot = await deployedProgram(host);
    expect(bot).toMatchObject({ status: 'starting', reason: { code: 'PREPARING' }, engine: 'docker' });
    await upper.reached;
    const shown = await botUntil(host, bot.bot_id, 'progress', ({ reason }) =>
      / of .* MB, /.test(reason?.message ?? ''),
    );
    expect(shown).toMatchObject({ status: 'starting', run_id: null });
    expect(shown.reason?.message).toMatch(new RegExp(`^Getting ${name}: .* of 2 layers$`));
    expect(shown.reason?.hint).toContain('starts by itself');
    const image = await imageOf(host, 'gcc13');
    expect(image).toMatchObject({ image: name, chosen: true, present: false, size_bytes: null, problem: null });
    expect(image.pull?.layers.find(({ status }) => status === 'Downloading')).toMatchObject({ total: 3_001_856 });

    // Neither the stop nor the delete of a bot waits.
    const request = { type: 'realtime/waiting', version: '1.0.0', config: {} };
    const [second, third] = await Promise.all([
      call<Bot>(host, 'POST', '/api/v1/bots', { ...request, name: 'stopped' }),
      call<Bot>(host, 'POST', '/api/v1/bots', { ...request, name: 'deleted' }),
    ]);
    await call(host, 'POST', `/api/v1/bots/${second.bot_id}/stop`);
    await botUntil(host, second.bot_id, 'the stop', ({ status }) => status === 'stopped');
    await call(host, 'DELETE', `/api/v1/bots/${third.bot_id}`);
    expect((await host.fetch(`/api/v1/bots/${third.bot_id}`)).status).toBe(404);
    expect((await getBot(host, bot.bot_id)).reason?.code).toBe('PREPARING');

    upper.release();
    const running = await botUntil(host, bot.bot_id, 'the start', ({ status }) => status === 'running');
    expect(running).toMatchObject({ reason: null, restarts: 0 });
    await lineUntil(host, bot.bot_id, 'up');
    expect((await getBot(host, second.bot_id)).status).toBe('stopped');
    expect(await runsOf(host, second.bot_id)).toEqual([]);
    expect(await imageOf(host, 'gcc13')).toMatchObject({ present: true, pull: null, problem: null });
    const { Id, Size } = await docker.getImage(name).inspect();
    expect((await imageOf(host, 'gcc13')).size_bytes).toBe(Size);
    const container = await docker.listContainers({ filters: { label: [`bot-platform.bot=${bot.bot_id}`] } });
    expect(container[0]?.ImageID).toBe(Id);
  });

  it('keeps no host from its end, and the next host goes on with it', async ({ onTestFinished }) => {
    const registry = await smallRegistry('tests/interrupted');
    const name = `${registry.reference}:1`;
    const upper = registry.hold(1);
    onTestFinished(async () => {
      await registry[Symbol.asyncDispose]();
      await removeImages(name);
    });
    const host = await testHost(onTestFinished, images({ gcc13: name }), address);
    const { bot_id } = await deployedProgram(host);
    await upper.reached;
    await host.stop();
    await host.start();
    const waiting = await botUntil(host, bot_id, 'the wait', ({ reason }) =>
      / of 2 layers/.test(reason?.message ?? ''),
    );
    expect(waiting).toMatchObject({ status: 'starting', reason: { code: 'PREPARING' } });
    upper.release();
    await botUntil(host, bot_id, 'the start', ({ status }) => status === 'running');
    expect(await runsOf(host, bot_id)).toHaveLength(1);
  });

  it('by the command line: progress, the list, and JSON', async ({ onTestFinished }) => {
    const registry = await smallRegistry('tests/by-hand');
    const name = `${registry.reference}:1`;
    const upper = registry.hold(1);
    onTestFinished(async () => {
      await registry[Symbol.asyncDispose]();
      await removeImages(name);
    });
    const host = await testHost(onTestFinished, images({ gcc13: name }), address);
    const before = await host.cli('images', 'list');
    expect(before.stdout).toMatch(new RegExp(`gcc13 +${name} +- +fetched when a bot needs it`));
    expect(before.stdout).toMatch(/nodejs24 +node:24-bookworm-slim +[\d.]+ MiB +here/);
    const done = host.cli('images', 'pull', 'cpp-gcc13', '--json');
    await upper.reached;
    await until('the pull in the list', async () => / of 2 layers/.test((await host.cli('images', 'list')).stdout));
    // Asked for twice, it is fetched once.
    const again = await pull(host, 'gcc13');
    expect(again.pull?.text).toMatch(/of 2 layers/);
    upper.release();
    const { code, stdout, stderr } = await done;
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ runtime: 'gcc13', image: name, present: true, pull: null });
    expect((await host.cli('images', 'list')).stdout).toMatch(new RegExp(`gcc13 +${name} +[\\d.]+ MiB +here`));
    const layers = registry.requests.filter((line) => line.startsWith('GET') && line.includes('/blobs/'));
    expect(new Set(layers).size).toBe(layers.length);
    const newer = await host.cli('images', 'pull', 'gcc13');
    expect(newer.stdout).toContain(`${name} is here (`);
    const wrong = await host.cli('images', 'pull', 'cobol');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('python3.11, nodejs20') });
  });

  it('of a registry that refuses is told of in its words, with what to do', async ({ onTestFinished }) => {
    const refusals = [
      [
        'python311',
        'manifest',
        404,
        /fetched: .*(not found|manifest unknown)/,
        /Look at the name \(images\.python311/,
        'failed',
      ],
      ['nodejs20', 'ping', 401, /fetched: .*(unauthorized|basic auth)/, /docker login.*docker pull/, 'failed'],
      ['nodejs22', 'manifest', 500, /fetched: .*500/, /Connect this machine to the internet/, 'backing_off'],
    ] as const;
    const names: Record<string, string> = {};
    for (const [runtime, what, answer] of refusals) {
      const registry = await Registry.start(`tests/refusing-${runtime}`, [{ a: 'a' }]);
      registry.fail(what, answer);
      names[runtime] = `${registry.reference}:1`;
      onTestFinished(() => registry[Symbol.asyncDispose]());
    }
    const host = await testHost(onTestFinished, images(names), address);
    for (const [runtime, , , message, hint, status] of refusals) {
      const { bot_id } = await deployed(host, runtime);
      const bot = await botUntil(host, bot_id, status, (one) => one.status === status);
      expect(bot.reason).toMatchObject({ code: 'ENGINE_UNAVAILABLE', message: expect.stringMatching(message) });
      expect(bot.reason?.message).toContain(
        `The image ${names[runtime]}, in which ${runtime} bots run, could not be fetched`,
      );
      expect(bot.reason?.hint).toMatch(hint);
      expect(bot.reason?.hint).toContain('deploy on an engine without images (options.engine)');
      await pull(host, runtime);
      const { problem, present } = await pulled(host, runtime);
      expect({ problem, present }).toEqual({
        problem: { message: expect.stringMatching(message), hint: expect.stringMatching(hint) },
        present: false,
      });
      const cli = await host.cli('images', 'pull', runtime);
      expect(cli.code, cli.stdout).toBe(6);
      expect(cli.stderr).toMatch(message);
      expect(cli.stderr).toMatch(hint);
    }
  });

  it('cannot be fetched again without a registry, and bots go on in the one that is here', async ({
    onTestFinished,
  }) => {
    const registry = await smallRegistry('tests/gone');
    const name = `${registry.reference}:1`;
    onTestFinished(() => removeImages(name));
    const host = await testHost(onTestFinished, images({ gcc13: name }), address);
    await pull(host, 'gcc13');
    expect(await pulled(host, 'gcc13')).toMatchObject({ present: true, problem: null });
    await registry[Symbol.asyncDispose]();
    await pull(host, 'gcc13');
    const image = await pulled(host, 'gcc13');
    expect(image).toMatchObject({ present: true, problem: { hint: expect.stringContaining('It was not updated') } });
    expect(image.problem?.message).toMatch(/could not be fetched: .*connection refused/);
    const { bot_id } = await deployedProgram(host);
    await botUntil(host, bot_id, 'the start', ({ status }) => status === 'running');

    // The same without any image here: the error says what to do.
    await call(host, 'POST', `/api/v1/bots/${bot_id}/stop`);
    // As long as a container has it, only its name would go.
    await until('the end of its container', async () => (await containersOf(address ?? '', host.dataDir)).length === 0);
    await removeImages(name);
    await host.stop();
    await host.start();
    await call(host, 'POST', `/api/v1/bots/${bot_id}/start`);
    const waiting = await botUntil(host, bot_id, 'the refusal', ({ reason }) => reason?.code === 'ENGINE_UNAVAILABLE');
    expect(waiting.reason?.hint).toMatch(/Connect this machine to the internet.*platform images pull gcc13/);
    expect(waiting.status).toBe('backing_off');
  });
});

describe.skipIf(whyNoDaemon() !== null).concurrent('a connection that breaks', () => {
  it('in the middle of a layer is told of, and the next attempt is made', async ({ onTestFinished }) => {
    const daemon = new Daemon({ images: [], flags: ['--max-download-attempts=1'] });
    onTestFinished(() => daemon.stop());
    await daemon.start();
    const registry = await Registry.start('tests/breaking', [{ a: randomBytes(2 * MB) }]);
    const name = `${registry.reference}:1`;
    const lower = registry.hold(0);
    const host = await testHost(onTestFinished, images({ gcc13: name }), daemon.host);
    await pull(host, 'gcc13');
    await lower.reached;
    await registry[Symbol.asyncDispose]();
    const { problem } = await pulled(host, 'gcc13');
    expect(problem?.message).toMatch(/could not be fetched: .*(EOF|reset|refused)/);
    expect(problem?.hint).toContain('platform images pull gcc13');
  });
});

describe.skipIf(address === null).concurrent('an image that lacks what bots need', () => {
  const suffix = `${process.pid}-${randomBytes(3).toString('hex')}`;
  const OLD = `images-test-old:${suffix}`;
  const BARE = `images-test-bare:${suffix}`;

  beforeAll(async () => {
    const context = pack();
    context.entry({ name: 'Dockerfile' }, 'FROM debian:trixie-slim\nCOPY node python3 /usr/bin/\n');
    for (const name of ['node', 'python3']) context.entry({ name, mode: 0o755 }, '#!/bin/sh\necho "$0"\necho 3.9.19\n');
    context.finalize();
    await followed(await docker.buildImage(Readable.from(context), { t: OLD, version: '1' }));
    const bare = pack();
    bare.entry({ name: 'etc/nothing' }, '');
    bare.finalize();
    const [repo, tag] = BARE.split(':');
    await followed(await docker.importImage(Readable.from(bare) as unknown as string, { repo, tag }));
  });
  afterAll(() => removeImages(OLD, BARE));

  const followed = (stream: NodeJS.ReadableStream): Promise<void> =>
    new Promise((done, failed) => {
      docker.modem.followProgress(stream, (error: Error | null) => (error === null ? done() : failed(error)));
    });

  it('is named at deploy, with what is missing and where to name another', async ({ onTestFinished }) => {
    const chosen = { python311: 'debian:trixie-slim', nodejs20: 'debian:trixie-slim', nodejs22: OLD, nodejs24: BARE };
    const host = await testHost(onTestFinished, images(chosen), address);
    const said = async (runtime: keyof typeof chosen): Promise<string> => {
      const { bot_id } = await deployed(host, runtime);
      const { reason } = await botUntil(host, bot_id, `the refusal of ${runtime}`, ({ status }) => status === 'failed');
      expect(reason?.hint).toContain(`images.${runtime}`);
      expect(reason).toMatchObject({ code: 'ENGINE_UNAVAILABLE', message: expect.stringContaining(chosen[runtime]) });
      expect((await imageOf(host, runtime)).problem?.message).toBe(reason?.message);
      await until('the refusal in the log', async () =>
        (await logsOf(host, bot_id)).some(({ message }) => message.includes(String(reason?.message))),
      );
      return reason?.message ?? '';
    };
    expect(await said('python311')).toContain('cannot run python311 bots: it has no python3.');
    expect(await said('nodejs20')).toContain('cannot run nodejs20 bots: it has no node.');
    expect(await said('nodejs22')).toContain('it has Node 3.9.19, and 22 or later is needed.');
    expect(await said('nodejs24')).toContain('it has no /bin/sh, or is made for another processor.');
  });

  it.runIf(everyVariant)('Python that is too old is told of as well', async ({ onTestFinished }) => {
    const host = await testHost(onTestFinished, images({ python311: OLD }), address);
    await pull(host, 'python311');
    // Its name leads to no registry, but the one that is here was looked into all the same.
    const { problem } = await pulled(host, 'python311');
    expect(problem?.message).toBeDefined();
    const { bot_id } = await deployed(host, 'python311');
    const { reason } = await botUntil(host, bot_id, 'the refusal', ({ status }) => status === 'failed');
    expect(reason?.message).toContain('it has Python 3.9.19, and 3.11 or later is needed');
  });
});

describe.concurrent('without an engine that answers', () => {
  it('a bot that asks for Docker is refused, and one that asks for nothing runs as a process', async ({
    onTestFinished,
  }) => {
    const nowhere = pathToFileURL(join(ROOT, 'no-such.sock')).href.replace('file:', 'unix:');
    const host = new TestHost();
    writeFileSync(join(host.dataDir, 'settings.json'), JSON.stringify({ engine: 'auto', docker_host: nowhere }));
    host.engine = 'auto';
    host.docker = nowhere;
    onTestFinished(() => host.stop(), 180_000);
    await host.start();
    const tiny = { name: 'plain', runtime: 'nodejs22', bot: NODE_BOT };
    expect((await publish(host, tiny)).status).toBe(201);
    const request = { name: 'plain', type: 'realtime/plain', version: '1.0.0', config: {} };
    const refused = await host.fetch('/api/v1/bots', {
      method: 'POST',
      body: JSON.stringify({ ...request, options: { engine: 'docker' } }),
    });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({
      error: {
        code: 'ENGINE_UNAVAILABLE',
        message: expect.stringMatching(/^Engine docker cannot be used: .*nothing answers there/),
        hint: expect.stringMatching(/Start Docker, or leave options\.engine out/),
      },
    });
    expect((await call<{ items: Bot[] }>(host, 'GET', '/api/v1/bots')).items).toEqual([]);
    const bot = await call<Bot>(host, 'POST', '/api/v1/bots', request);
    expect(bot.engine).toBe('process');
    await botUntil(host, bot.bot_id, 'the start', ({ status }) => status === 'running');
    const list = await host.fetch('/api/v1/images');
    expect(list.status).toBe(503);
    const cli = await host.cli('images', 'list');
    expect(cli.code, cli.stdout).toBe(6);
    expect(cli.stderr).toContain('Start Docker');
  });
});
