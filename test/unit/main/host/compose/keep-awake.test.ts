import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { awakeProgram, keepAwake } from '../../../../../src/main/host/compose/keep-awake.ts';
import { exists } from '../../../../support/platform.ts';
import { tempDir } from '../../../../support/temp.ts';
import { until } from '../../../../support/until.ts';

const never = (why: string): never => {
  throw new Error(why);
};

/** A program that writes its pid to a file and ends with its standard input. */
function reader(): { readonly call: readonly [string, ...string[]]; readonly pid: () => number | null } {
  const dir = tempDir('keep-awake-');
  const script = join(dir, 'reader.mjs');
  const file = join(dir, 'pid');
  writeFileSync(file, '');
  writeFileSync(
    script,
    `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(file)}, String(process.pid)); process.stdin.resume();`,
  );
  return { call: [process.execPath, script], pid: () => Number(readFileSync(file, 'utf8')) || null };
}

describe('keep-awake', () => {
  it('runs its program until it is stopped, and says nothing of that end', async () => {
    const { call, pid } = reader();
    const awake = await keepAwake(never, call);
    expect(awake.note).toBeNull();
    const running = await until('the program', async () => pid());
    expect(exists(running)).toBe(true);
    awake.stop();
    await until('its end', async () => !exists(running));
  });

  it('says that the machine may sleep where the program is missing', async () => {
    const { note } = await keepAwake(never, ['/nowhere/systemd-inhibit']);
    expect(note).toContain('may go to sleep');
    expect((await keepAwake(never, null)).note).toContain(process.platform);
  });

  it('tells of a program that ends by itself', async () => {
    const told = Promise.withResolvers<string>();
    await keepAwake(told.resolve, [process.execPath, '-e', 'process.exit(3)']);
    expect(await told.promise).toContain('ended with 3');
  });

  it('has a program on each system, and none that takes more than the host has', () => {
    expect(awakeProgram('linux', 7)?.[0]).toBe('systemd-inhibit');
    expect(awakeProgram('linux', 7)?.at(-1)).toBe('cat');
    expect(awakeProgram('darwin', 7)).toEqual(['caffeinate', '-i', '-w', '7']);
    expect(awakeProgram('win32', 7)?.at(-1)).toContain('2147483649');
    expect(awakeProgram('freebsd', 7)).toBeNull();
  });
});
