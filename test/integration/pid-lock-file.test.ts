import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acquireLock, lockHolder } from '../../src/node/pid-lock-file.ts';
import { identify } from '../../src/node/process-identity.ts';
import { tempDir } from '../support/temp.ts';

const HOLDER = resolve(import.meta.dirname, '../fixtures/hosts/hold-lock.mjs');

/** A process that tries to take the lock, says `held` or why not, and keeps it until it is killed. */
async function holder(file: string) {
  const child = spawn(process.execPath, [HOLDER, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [text] = await once(child.stdout, 'data');
  const kill = async (): Promise<void> => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  return { said: String(text).trim(), pid: child.pid, kill };
}

describe('the lock of a data folder', () => {
  it('is held by one process, which the error names', async () => {
    const file = join(tempDir(), 'host.lock');
    const first = await holder(file);
    expect(first.said).toBe('held');
    const refused = await acquireLock(file).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'HOST_RUNNING',
      details: { pid: first.pid },
      message: expect.stringContaining(`(process ${first.pid})`),
    });
  });

  it('is taken over from a process that was killed', async () => {
    const dir = tempDir();
    const file = join(dir, 'host.lock');
    await (await holder(file)).kill();
    expect(existsSync(file)).toBe(true);
    const lock = await acquireLock(file);
    expect(JSON.parse(readFileSync(file, 'utf8')).pid).toBe(process.pid);
    expect(readdirSync(dir)).toEqual(['host.lock']);
    lock.release();
    lock.release();
    expect(existsSync(file)).toBe(false);
  });

  it('is taken over when the pid belongs to another process now, or the file makes no sense', async () => {
    const file = join(tempDir(), 'host.lock');
    const self = await identify(process.pid);
    for (const text of [
      JSON.stringify({ ...self, started: '1' }),
      JSON.stringify({ ...self, boot: 'x' }),
      '',
      '{}',
      'null',
    ]) {
      writeFileSync(file, text);
      (await acquireLock(file)).release();
    }
    expect(existsSync(file)).toBe(false);
  });

  it('means nothing in a copy of the folder, though its process runs; a renamed folder keeps it', async () => {
    const base = tempDir();
    const dir = join(base, 'data');
    mkdirSync(dir);
    const first = await holder(join(dir, 'host.lock'));
    const copy = join(base, 'copy');
    cpSync(dir, copy, { recursive: true });
    expect(await lockHolder(join(copy, 'host.lock'))).toBeNull();
    (await acquireLock(join(copy, 'host.lock'))).release();
    renameSync(dir, `${dir}.renamed`);
    expect(await lockHolder(join(`${dir}.renamed`, 'host.lock'))).toBe(first.pid);
  });

  it('goes to exactly one of many who find a stale one', async () => {
    const file = join(tempDir(), 'host.lock');
    writeFileSync(file, JSON.stringify({ pid: 999_999_999, started: '1', boot: 'x' }));
    const all = await Promise.all(Array.from({ length: 5 }, () => holder(file)));
    expect(all.filter((each) => each.said === 'held')).toHaveLength(1);
    expect(all.filter((each) => each.said.startsWith('HOST_RUNNING'))).toHaveLength(4);
  });
});
