import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { Sandbox } from '../../src/main/host/engine/process/sandbox.ts';
import { tempDir } from '../support/temp.ts';
import { LOCAL_PARTS, unitSpec } from '../support/units.ts';
import { begin, engineContract } from './engine-contract.ts';

const folder = resolve(import.meta.dirname, '../../resources/sandbox');
engineContract({
  name: 'sandbox engine',
  code: 'links',
  // As a host has it: programs reach a gate alone, which does not answer here.
  make: () =>
    createProcessEngine({
      ...LOCAL_PARTS,
      sandbox: new Sandbox(folder),
      way: async (botId) => ({ port: 9, identity: `${botId}-x` }),
    }),
});

it.runIf(process.platform === 'linux')(
  'a bot without network waits where the sandbox holds everything else',
  async () => {
    const held = { files: null, sockets: null, programs: null, limits: null };
    const sandbox = new Sandbox(folder);
    sandbox.trial = async () => ({ ...held, network: 'a local port can be reached' });
    const engine = createProcessEngine({ ...LOCAL_PARTS, sandbox });
    const start = (network: object): Promise<unknown> => begin(engine, unitSpec(tempDir(), 'succeed.sh', network));
    await expect(start({ network: 'none' })).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('a local port can be reached'),
    });
    await start({});
  },
);

it.runIf(process.platform === 'linux')(
  'a trial that failed in anything is repeated, the first one at once and others after some seconds',
  async () => {
    const place = tempDir();
    mkdirSync(join(place, `linux-${process.arch}`));
    const lines = join(place, 'lines');
    const file = join(place, `linux-${process.arch}`, 'confine');
    writeFileSync(file, `#!/bin/sh\nexec /bin/cat '${lines}'\n`, { mode: 0o700 });
    writeFileSync(join(place, `linux-${process.arch}`, 'shared-memory.so'), '');
    const held = 'network held\nsockets held\nprograms held\nlimits held\n';
    let now = 0;
    const sandbox = new Sandbox(place, { clock: { monotonic: () => now } });
    writeFileSync(lines, `${held}files open a file can be read\n`);
    expect((await sandbox.trial()).files).toBe('a file can be read');
    writeFileSync(lines, `${held}files open another one can be read\n`);
    expect((await sandbox.trial()).files).toBe('another one can be read');
    writeFileSync(lines, `${held}files held\n`);
    now += 9_999;
    expect((await sandbox.trial()).files).toBe('another one can be read');
    now += 1;
    // It reaches no gate, which a trial of the real one would.
    expect(await sandbox.trial()).toMatchObject({ files: null, network: 'the gate cannot be reached' });
    expect(sandbox.level).toBe('partial');
  },
);

it.runIf(process.platform === 'linux')('a sandbox that holds after it did not tells of that, once', async () => {
  const place = tempDir();
  const own = join(place, `linux-${process.arch}`);
  const sandbox = new Sandbox(place);
  let told = 0;
  sandbox.onHeld(() => {
    told += 1;
  });
  await sandbox.trial();
  expect([sandbox.level, told]).toEqual(['partial', 0]);
  cpSync(join(folder, `linux-${process.arch}`), own, { recursive: true });
  await Promise.all([sandbox.trial(), sandbox.trial()]);
  await sandbox.trial();
  expect([sandbox.level, told]).toEqual(['sandbox', 1]);
});

it.runIf(process.platform === 'linux')('Java finds its security settings, also where they lie in /etc', ({ skip }) => {
  if (spawnSync('java', ['-version']).error !== undefined) skip('Java is not installed.');
  const own = tempDir();
  const wish = { path: '/usr/local/bin:/usr/bin', reads: [], writes: [own], queryPort: null, keptFd: null };
  const asks = ['-m', 'java.base/sun.security.tools.keytool.Main', '-list', '-cacerts', '-storepass', 'changeit'];
  for (const network of ['none', 'open'] as const) {
    const { program, args, env } = new Sandbox(folder).wrap({ ...wish, program: 'java', args: asks, network });
    const around = { ...env, PATH: wish.path, HOME: own };
    const done = spawnSync(program, [...args], { cwd: own, encoding: 'utf8', env: around });
    expect({ status: done.status, said: done.stderr }).toMatchObject({ status: 0 });
  }
});

it.runIf(process.platform === 'linux')(
  'a database of the host that every program may read keeps bots from starting',
  async () => {
    const trial = await new Sandbox(folder, { database: '/usr/bin/env' }).trial();
    expect(trial).toMatchObject({ files: 'the database of the host can be read', sockets: null, programs: null });
    expect(await new Sandbox(folder, { database: join(tempDir(), 'control.db') }).trial()).toMatchObject({
      files: null,
    });
  },
);
