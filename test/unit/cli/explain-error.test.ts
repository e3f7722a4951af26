import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { credentialFor, hostUrl } from '../../../src/cli/context.ts';
import { isRunning } from '../../../src/cli/discovery.ts';
import { deadHost, explained } from '../../../src/cli/explain-error.ts';
import { PlatformError } from '../../../src/contract/errors.ts';
import { tempDir } from '../../support/temp.ts';

const DEAD = spawnSync(process.execPath, ['--version']).pid;

function reach(pid: number | null, env: NodeJS.ProcessEnv = {}) {
  const dataDir = tempDir();
  const host = { url: 'http://127.0.0.1:9', port: 9, pid, started_at: '', version: '0.1.0', token: 't' };
  if (pid !== null) writeFileSync(join(dataDir, 'host.json'), JSON.stringify(host));
  return { url: undefined, env: { PLATFORM_CONFIG_DIR: join(dataDir, 'config'), ...env }, dataDir };
}

describe('a host that was killed', () => {
  const gone = new PlatformError('HOST_UNREACHABLE', 'No host answers');

  it('is told as what it is, with what its bots do', () => {
    expect(isRunning(process.pid)).toBe(true);
    expect(isRunning(DEAD)).toBe(false);
    expect(deadHost(reach(DEAD))).toBe(DEAD);
    expect(explained(gone, reach(DEAD))).toMatchObject({
      code: 'HOST_UNREACHABLE',
      message: `The host (process ${DEAD}) ended without stopping its bots`,
      hint: expect.stringContaining('`platform start`'),
    });
  });

  it('is not asked for at its address, which may be any other program now, and its token is given to nobody', () => {
    const url = 'http://127.0.0.1:9';
    expect([hostUrl(reach(process.pid)), credentialFor(url, reach(process.pid))]).toEqual([url, 't']);
    expect(() => hostUrl(reach(DEAD))).toThrow(expect.objectContaining({ code: 'HOST_UNREACHABLE' }));
    expect(credentialFor(url, reach(DEAD))).toBeNull();
  });

  it('is not assumed of one that runs, of none, or of one elsewhere', () => {
    expect(explained(gone, reach(process.pid))).toBe(gone);
    expect(explained(gone, reach(null))).toBe(gone);
    expect(explained(gone, { ...reach(DEAD), url: 'http://elsewhere:1' })).toBe(gone);
    expect(explained(gone, reach(DEAD, { PLATFORM_URL: 'http://elsewhere:1' }))).toBe(gone);
  });
});

describe('a key that was refused', () => {
  const refused = new PlatformError('INVALID_API_KEY');

  it('is named by where it came from', () => {
    const fromEnv = reach(null, { PLATFORM_API_KEY: 'bad' });
    expect(explained(refused, fromEnv)).toMatchObject({ hint: expect.stringContaining('PLATFORM_API_KEY') });
    const stored = reach(null);
    mkdirSync(stored.env.PLATFORM_CONFIG_DIR ?? '');
    writeFileSync(join(stored.env.PLATFORM_CONFIG_DIR ?? '', 'credentials.json'), '{}');
    expect(explained(refused, stored)).toMatchObject({ hint: expect.stringContaining('credentials.json') });
    expect(explained(refused, reach(null))).toBe(refused);
  });
});
