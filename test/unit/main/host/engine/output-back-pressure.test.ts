import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OutputBackPressure, pause } from '../../../../../src/main/host/engine/output-back-pressure.ts';
import { tempDir } from '../../../../support/temp.ts';

const MB = 1024 * 1024;

function guarded(mayPause = () => true) {
  const path = join(tempDir('guard-'), 'out');
  writeFileSync(path, '');
  const calls: string[] = [];
  const notices: string[] = [];
  const guard = new OutputBackPressure({
    outputs: [
      { path, stream: 'stdout' },
      { path: `${path}.none`, stream: 'stderr' },
    ],
    pauseAtBytes: () => 4 * MB,
    pause: async () => {
      calls.push('pause');
      return mayPause();
    },
    resume: async () => void calls.push('resume'),
    notice: (message) => notices.push(message),
  });
  return { guard, path, calls, notices, write: (mb: number) => appendFileSync(path, Buffer.alloc(mb * MB, 'x')) };
}

describe.runIf(process.platform === 'linux')('a program that writes faster than its lines are stored', () => {
  it('is paused until little of it waits, and both are said', async () => {
    const { guard, path, calls, notices, write } = guarded();
    await guard.resume();
    calls.length = 0;
    write(3);
    await guard.check();
    expect(calls).toEqual([]);
    write(2);
    await guard.check();
    await guard.check();
    expect(calls).toEqual(['pause']);
    expect(guard.mayBePaused).toBe(true);
    truncateSync(path, 2 * MB);
    await guard.check();
    expect(calls).toEqual(['pause']);
    truncateSync(path, MB);
    await guard.check();
    await guard.check();
    expect(calls).toEqual(['pause', 'resume']);
    expect(guard.mayBePaused).toBe(false);
    expect(notices).toEqual([expect.stringMatching(/^Paused: 5 MB of output wait/), expect.stringMatching(/^Resumed/)]);
  });

  it('is not held for what is stored already, and is asked only about much', async () => {
    const { guard, calls, write } = guarded();
    let asked = 0;
    guard.outputRead(async () => {
      asked += 1;
      return 0;
    });
    write(1);
    await guard.check();
    expect(asked).toBe(0);
    write(5);
    await guard.check();
    expect(asked).toBe(1);
    expect(calls).not.toContain('pause');
  });

  it('found again is let go on without a word: an earlier host may have paused it', async () => {
    const { guard, calls, notices } = guarded();
    expect(guard.mayBePaused).toBe(true);
    await guard.check();
    expect(calls).toEqual(['resume']);
    expect(notices).toEqual([]);
    expect(guard.mayBePaused).toBe(false);
  });

  it('is not taken for held while it is being stopped', async () => {
    const { guard, calls, notices, write } = guarded(() => false);
    write(5);
    await guard.check();
    await guard.check();
    expect(calls).toEqual(['pause', 'pause']);
    expect(notices).toEqual([]);
  });
});

it('a pause ends at once with its signal', async () => {
  const over = new AbortController();
  const paused = pause(1_000_000, over.signal);
  over.abort();
  expect(await paused).toBe(false);
  expect(await pause(1, new AbortController().signal)).toBe(true);
});
