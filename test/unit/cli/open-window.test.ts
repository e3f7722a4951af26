import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWindow } from '../../../src/cli/open-window.ts';
import { tempDir } from '../../support/temp.ts';

describe.skipIf(process.platform === 'win32')('openWindow', () => {
  /** A binary that does this in place of Electron. */
  function program(script: string): string {
    const file = join(tempDir(), 'electron');
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  const start = (script: string, signal = new AbortController().signal) =>
    openWindow({
      program: program(script),
      args: ['/app'],
      dataDir: '/data',
      flags: ['--port', '5'],
      env: process.env,
      signal,
    });

  it('says with what it ended before there was a window', async () => {
    const said = 'echo "[1:ERROR] noise" >&2; echo "[2:FATAL:sandbox.cc(1)] no sandbox" >&2; echo more >&2; exit 6';
    const failed = await start(said);
    expect(failed).toEqual({ at: 'failed', why: 'Electron ended with 6 ([2:FATAL:sandbox.cc(1)] no sandbox)' });
    const none = { program: '/no/such/electron', args: [], dataDir: '/data', flags: [], env: {} };
    const missing = await openWindow({ ...none, signal: new AbortController().signal });
    expect(missing).toMatchObject({ at: 'failed', why: expect.stringContaining('ENOENT') });
  });

  it('knows a start that another one has taken over', async () => {
    expect(await start('exit 0')).toEqual({ at: 'handed over' });
  });

  it('hands data folder, Node and flags on, and ends the app when asked to', async () => {
    const file = join(tempDir(), 'arguments');
    const stop = new AbortController();
    const script = `printf '%s\\n' "$@" > ${file}; trap 'exit 0' TERM; echo '{"desktop":true}'; while :; do sleep 0.05; done`;
    const open = await start(script, stop.signal);
    if (open.at !== 'open') throw new Error(JSON.stringify(open));
    const given = readFileSync(file, 'utf8').trim().split('\n');
    expect(given).toEqual(['/app', '--', '--data', '/data', '--node', process.execPath, '--port', '5']);
    stop.abort();
    expect(await open.ended).toBe(0);
  });
});
