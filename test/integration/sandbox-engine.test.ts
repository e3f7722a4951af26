import { mkdirSync, writeFileSync } from 'node:fs';
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
  make: () => createProcessEngine({ ...LOCAL_PARTS, sandbox: new Sandbox(folder) }),
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

it.runIf(process.platform === 'linux')('a trial that failed in anything is repeated', async () => {
  const place = tempDir();
  mkdirSync(join(place, `linux-${process.arch}`));
  const lines = join(place, 'lines');
  const file = join(place, `linux-${process.arch}`, 'confine');
  writeFileSync(file, `#!/bin/sh\nexec /bin/cat '${lines}'\n`, { mode: 0o700 });
  writeFileSync(join(place, `linux-${process.arch}`, 'shared-memory.so'), '');
  const held = 'files held\nsockets held\nprograms held\nlimits held\n';
  const sandbox = new Sandbox(place);
  writeFileSync(lines, `${held}network open a port can be opened\n`);
  expect((await sandbox.trial()).network).toBe('a port can be opened');
  writeFileSync(lines, `${held}network held\n`);
  expect((await sandbox.trial()).network).toBeNull();
});
