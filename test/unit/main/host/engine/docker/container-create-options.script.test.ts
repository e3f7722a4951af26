import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../../../support/temp.ts';
import { RUNNERS } from '../../../../../support/units.ts';

const SHELLS = ['/bin/sh', '/bin/dash', '/bin/bash'].filter((shell) => existsSync(shell));
const IS_ROOT = process.geteuid?.() === 0;

/** Files of a run, and the script with their paths in place of those inside a container. */
function setUp() {
  const dir = tempDir('container-script-');
  chmodSync(dir, 0o755);
  const script = join(dir, 'container.sh');
  const source = readFileSync(join(RUNNERS, 'container.sh'), 'utf8');
  writeFileSync(script, source.replaceAll('/run/bot/', `${dir}/`));
  for (const name of ['out', 'err', 'config']) writeFileSync(join(dir, name), '');
  const run = (shell: string, mode: string, command: readonly string[], user = {}) =>
    spawnSync(shell, [script, mode, ...command], { input: 'question\n', encoding: 'utf8', ...user });
  return { dir, run, text: (name: string) => readFileSync(join(dir, name), 'utf8') };
}

describe.each(SHELLS)('the start of a program in a container, by %s', (shell) => {
  it('gives it its config, and its output to files', () => {
    const { dir, run, text } = setUp();
    writeFileSync(join(dir, 'config'), "BOT_CONFIG='it'\\''s $HOME'; export BOT_CONFIG\n");
    const command = ['/bin/sh', '-c', 'cat; echo "$BOT_CONFIG"; echo "$_mode" >&2; exit 7'];
    expect(run(shell, 'plain', command)).toMatchObject({ status: 7, stdout: '', stderr: '' });
    expect([text('out'), text('err')]).toEqual(["it's $HOME\n", '\n']);
  });

  it('gives one that waits its line as well', () => {
    const { run, text } = setUp();
    const ended = run(shell, 'warm', ['/bin/sh', '-c', 'cat; echo ready >&4']);
    expect(ended).toMatchObject({ status: 0, stdout: 'ready\n' });
    expect(text('out')).toBe('question\n');
  });

  it('ends with 125 and says so where it may not read the files', () => {
    const { dir, run, text } = setUp();
    rmSync(join(dir, 'config'));
    expect(run(shell, 'plain', ['/bin/true'])).toMatchObject({ status: 125, stderr: '' });
    expect(text('err')).toMatch(/cannot read the files of this run, so the bot was not started\.\n$/);
  });

  it.runIf(IS_ROOT)('ends with 125 where they belong to another user', () => {
    const { dir, run, text } = setUp();
    const user = { uid: 65_534, gid: 65_534 };
    for (const name of ['out', 'err']) chownSync(join(dir, name), user.uid, user.gid);
    chmodSync(join(dir, 'config'), 0o400);
    expect(run(shell, 'plain', ['/bin/true'], user)).toMatchObject({ status: 125, stderr: '' });
    expect(text('err')).toMatch(/cannot read the files/);
    chownSync(join(dir, 'err'), 0, 0);
    chmodSync(join(dir, 'err'), 0o600);
    expect(run(shell, 'plain', ['/bin/true'], user).status).toBe(125);
  });

  it('tells of a program that is not there', () => {
    const { run, text } = setUp();
    expect(run(shell, 'plain', ['/nowhere/program']).status).toBe(127);
    expect(text('err')).toContain('/nowhere/program');
  });
});
