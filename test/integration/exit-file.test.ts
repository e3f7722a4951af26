import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UnitSpec } from '../../src/main/engine/engine.ts';
import { createProcessEngine } from '../../src/main/engine/process/process-engine.ts';
import { tempDir } from '../support/temp.ts';
import { RUNNERS, unitSpec } from '../support/units.ts';
import { begin } from './engine-contract.ts';

/** A program that puts something in place of its exit file and ends its launcher, which would write it. */
function spoiler(what: string): UnitSpec {
  const root = tempDir();
  const codeDir = join(root, 'code');
  mkdirSync(codeDir);
  const script = `#!/bin/sh\nfile="$(dirname "$RESULT_FILE")/bot.exit"\n${what}\nkill -9 $PPID\nexec sleep 30\n`;
  writeFileSync(join(codeDir, 'bot.sh'), script);
  chmodSync(join(codeDir, 'bot.sh'), 0o755);
  return unitSpec(root, 'bot.sh', { codeDir });
}

describe('an exit file that a bot has spoiled', () => {
  it.each([
    ['a folder', 'mkdir "$file"', 1],
    ['a pipe', 'mkfifo "$file"', 1],
    ['a link', 'ln -s /etc/hostname "$file"', 0],
    ['large', 'head -c 100000000 /dev/zero >"$file"', 0],
    ['without meaning', 'echo nonsense >"$file"', 0],
  ])('is %s: the unit ends as one whose launcher was killed', async (_, what, reports) => {
    const reported: string[] = [];
    const engine = createProcessEngine({ runnersDir: RUNNERS, report: (message) => reported.push(message) });
    const { unit } = await begin(engine, spoiler(what));
    expect(await unit.exited).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(reported).toEqual(
      Array.from({ length: reports }, () => expect.stringMatching(/bot\.exit could not be read/)),
    );
  });

  it('does not keep the same program from being started again in the same folder', async () => {
    const engine = createProcessEngine({ runnersDir: RUNNERS, report: () => undefined });
    const spec = spoiler('mkdir "$file"');
    for (const _ of [1, 2]) {
      const { unit } = await begin(engine, spec);
      expect(await unit.exited).toMatchObject({ signal: 'SIGKILL' });
    }
  });
});
