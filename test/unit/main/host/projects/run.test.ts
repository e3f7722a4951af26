import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, type TestContext } from 'vitest';
import type { RunLine } from '../../../../../src/contract/project.ts';
import { LocalRun } from '../../../../../src/main/host/projects/run.ts';
import { createProject } from '../../../../../src/project/create-project.ts';
import { folderSource, readProjectFiles, usableProject } from '../../../../../src/project/read-project.ts';
import { pidsUnder, ROOT } from '../../../../support/platform.ts';
import { tempDir } from '../../../../support/temp.ts';
import { until } from '../../../../support/until.ts';

interface Started {
  readonly dir: string;
  readonly run: LocalRun;
  readonly texts: () => string[];
  /** Number of the line that was told last. */
  readonly told: () => number;
}

/** A run of a project of Node whose program is `bot`. */
async function newRun(
  bot: string,
  onTestFinished: TestContext['onTestFinished'],
  config: object = {},
): Promise<Started> {
  const dir = join(tempDir(), 'runner');
  createProject({ dir, template: 'node', resourcesDir: join(ROOT, 'resources'), nameHint: '' });
  writeFileSync(join(dir, 'bot.mjs'), bot);
  const reading = await readProjectFiles(folderSource(dir));
  if (reading === null) throw new Error('the template has a bot-config.yaml');
  const project = usableProject(reading);
  const lines: RunLine[] = [];
  const dev = { project, config: { ...config }, workDir: join(dir, '.platform'), env: process.env };
  const events = {
    changed: () => undefined,
    lines: (more: RunLine[]) => void lines.push(...more),
    failed: (error: unknown) => {
      throw error;
    },
  };
  const from = { ...dev, runnersDir: join(ROOT, 'resources/runners'), node: process.execPath };
  const run = new LocalRun(`run_${Math.random()}`, from, {}, events, Date.now, 0);
  onTestFinished(() => run.stop());
  return { dir, run, texts: () => lines.map(({ text }) => text), told: () => lines.at(-1)?.seq ?? 0 };
}

/** A program that starts another one, which leaves its group and never ends. */
const LEAVING = (stdio: string, after: string) => `
import { spawn } from 'node:child_process';
spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { detached: true, stdio: '${stdio}' }).unref();
console.log('away');
${after}
`;

// Only there a program lets others read its environment.
const onLinux = it.skipIf(process.platform !== 'linux');

onLinux(
  'ends what has left the group of its program and holds its output, when it is stopped',
  async ({ onTestFinished }) => {
    const bot = LEAVING('inherit', 'setInterval(() => undefined, 1000);');
    const { dir, run, texts } = await newRun(bot, onTestFinished);
    run.start();
    await until('the other program', () => texts().includes('away') && pidsUnder(dir).length >= 2);
    await run.stop();
    expect(pidsUnder(dir)).toEqual([]);
    expect(run.describe()).toMatchObject({ status: 'ended', stopped: true });
  },
);

onLinux('ends what its program has left behind', async ({ onTestFinished }) => {
  const { dir, run } = await newRun(LEAVING('ignore', 'process.exit(3);'), onTestFinished);
  run.start();
  await until('the end', () => run.isOver);
  expect(run.describe()).toMatchObject({ status: 'ended', exit_code: 3 });
  expect(pidsUnder(dir)).toEqual([]);
});

it('lets nobody read on behind a line that was not told yet', async ({ onTestFinished }) => {
  const bot = 'let n = 0; setInterval(() => console.log(n++), 5);';
  const { run, told } = await newRun(bot, onTestFinished);
  run.start();
  await until('fifty lines', () => {
    expect(run.lastSeq).toBe(told());
    // Who comes now is told the others with everybody.
    expect(run.linesAfter(0).length).toBe(told());
    return told() > 50;
  });
});

onLinux('says that a configuration is too large to be handed over', async ({ onTestFinished }) => {
  const { run } = await newRun('', onTestFinished, { text: 'x'.repeat(200_000) });
  expect(() => run.start()).toThrow('larger than this system hands to a program');
});
