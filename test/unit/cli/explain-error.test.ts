import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { credentialFor, hostUrl } from '../../../src/cli/context.ts';
import { deadHost, explained } from '../../../src/cli/explain-error.ts';
import { PlatformError } from '../../../src/contract/errors.ts';
import { dataFolderAt } from '../../../src/node/data-folder.ts';
import { identify } from '../../../src/node/process-identity.ts';
import { discoveryOf, standForHost } from '../../support/host-files.ts';
import { tempDir } from '../../support/temp.ts';

const ADDRESS = 'http://127.0.0.1:9';

/** A data folder without a host, and what is known of where a command looks. */
function reach(env: NodeJS.ProcessEnv = {}) {
  const dataDir = tempDir();
  return { url: undefined, env: { PLATFORM_CONFIG_DIR: join(dataDir, 'config'), ...env }, dataDir };
}

function reachHost(env: NodeJS.ProcessEnv = {}) {
  const there = reach(env);
  standForHost(there.dataDir, { url: ADDRESS });
  return there;
}

/** A host that was killed, whose pid is in use. `lock`: what it left as its lock; null for none. */
async function reachKilled(lock: 'of then' | 'of another boot' | 'of nobody' | null, env: NodeJS.ProcessEnv = {}) {
  const there = reachHost(env);
  const { lockFile } = dataFolderAt(there.dataDir);
  const self = await identify(process.pid);
  rmSync(lockFile);
  if (lock === 'of then') writeFileSync(lockFile, JSON.stringify({ ...self, started: '1' }));
  if (lock === 'of another boot') writeFileSync(lockFile, JSON.stringify({ ...self, boot: 'before' }));
  if (lock === 'of nobody') writeFileSync(lockFile, 'no JSON');
  return there;
}

describe('a host that was killed', () => {
  const gone = new PlatformError('HOST_UNREACHABLE', 'No host answers');

  it('is told as what it is, with what its bots do', async () => {
    const killed = await reachKilled('of then');
    expect(await deadHost(killed)).toBe(process.pid);
    expect(await explained(gone, killed)).toMatchObject({
      code: 'HOST_UNREACHABLE',
      message: `The host (process ${process.pid}) ended without stopping its bots`,
      hint: expect.stringContaining('`platform start`'),
    });
  });

  it.each(['of then', 'of another boot', 'of nobody', null] as const)(
    'is not taken for whoever has its pid and its port now, who is shown no key: with a lock %s',
    async (lock) => {
      const killed = await reachKilled(lock);
      await expect(hostUrl(killed)).rejects.toThrow(expect.objectContaining({ code: 'HOST_UNREACHABLE' }));
      expect(await credentialFor(ADDRESS, killed)).toBeNull();
      const there = reachHost();
      expect([await hostUrl(there), await credentialFor(ADDRESS, there)]).toEqual([ADDRESS, 'local_t']);
    },
  );

  it('is not taken for the next host, which has the lock and has not written where it is', async () => {
    const there = reachHost();
    const { hostFile } = dataFolderAt(there.dataDir);
    writeFileSync(hostFile, JSON.stringify({ ...discoveryOf({ url: ADDRESS }), pid: process.ppid }));
    expect(await credentialFor(ADDRESS, there)).toBeNull();
  });

  it('is not assumed of one that runs, of none, or of one elsewhere', async () => {
    expect(await explained(gone, reachHost())).toBe(gone);
    expect(await explained(gone, reach())).toBe(gone);
    expect(await explained(gone, { ...(await reachKilled(null)), url: 'http://elsewhere:1' })).toBe(gone);
    expect(await explained(gone, await reachKilled(null, { PLATFORM_URL: 'http://elsewhere:1' }))).toBe(gone);
  });
});

describe('a key that was refused', () => {
  const refused = new PlatformError('INVALID_API_KEY');

  it('is named by where it came from', async () => {
    const fromEnv = reach({ PLATFORM_API_KEY: 'bad' });
    expect(await explained(refused, fromEnv)).toMatchObject({ hint: expect.stringContaining('PLATFORM_API_KEY') });
    const stored = reach();
    mkdirSync(stored.env.PLATFORM_CONFIG_DIR ?? '');
    writeFileSync(join(stored.env.PLATFORM_CONFIG_DIR ?? '', 'credentials.json'), '{}');
    expect(await explained(refused, stored)).toMatchObject({ hint: expect.stringContaining('credentials.json') });
    expect(await explained(refused, reach())).toBe(refused);
  });
});
