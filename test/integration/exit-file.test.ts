import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UnitSpec } from '../../src/main/host/engine/engine.ts';
import { createProcessEngine } from '../../src/main/host/engine/process/process-engine.ts';
import { tempDir } from '../support/temp.ts';
import { LOCAL_PARTS, unitSpec } from '../support/units.ts';
import { begin } from './engine-contract.ts';

const ENDS_ITS_LAUNCHER = 'kill -9 $PPID\nexec sleep 30';

/** A program that puts something in place of its exit file and ends, by default with its launcher, which would write it. */
function spoiler(what: string, end = ENDS_ITS_LAUNCHER): UnitSpec {
  const root = tempDir();
  const codeDir = join(root, 'code');
  mkdirSync(codeDir);
  const script = `#!/bin/sh\nfile="$(dirname "$RESULT_FILE")/bot.exit"\n${what}\n${end}\n`;
  writeFileSync(join(codeDir, 'bot.sh'), script);
  chmodSync(join(codeDir, 'bot.sh'), 0o755);
  return unitSpec(root, 'bot.sh', { codeDir });
}

describe('an exit file that a bot has spoiled', () => {
  it.each([
    ['a folder', 'mkdir "$file"', 1],
    ['a pipe', 'mkfifo "$file"', 1],
    ['a link', 'ln -s /etc/hostname "$file"', 1],
    ['large', 'head -c 100000000 /dev/zero >"$file"', 0],
    ['without meaning', 'echo nonsense >"$file"', 0],
  ])('is %s: the unit ends as one whose launcher was killed', async (_, what, reports) => {
    const reported: string[] = [];
    const engine = createProcessEngine({
      ...LOCAL_PARTS,
      report: (message) => reported.push(message),
    });
    const { unit } = await begin(engine, spoiler(what));
    expect(await unit.exited).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(reported).toEqual(
      Array.from({ length: reports }, () => expect.stringMatching(/bot\.exit could not be read/)),
    );
  });

  it.each(['mkfifo', 'mkdir'])('does not keep a program from ending (%s)', async (make) => {
    const engine = createProcessEngine({ ...LOCAL_PARTS, report: () => undefined });
    const { unit } = await begin(engine, spoiler(`${make} "$file"`, 'exit 3'));
    expect(await unit.exited).toMatchObject({ exitCode: 3, signal: null });
  });

  it('does not keep the same program from being started again in the same folder', async () => {
    const engine = createProcessEngine({ ...LOCAL_PARTS, report: () => undefined });
    const spec = spoiler('mkdir "$file"');
    for (const _ of [1, 2]) {
      const { unit } = await begin(engine, spec);
      expect(await unit.exited).toMatchObject({ signal: 'SIGKILL' });
    }
  });
});
