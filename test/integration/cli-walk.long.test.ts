import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ENTRIES } from '../../src/cli/registry.ts';
import { endOf, TestHost } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';

/** One use of a command: its words, its input, and the exit codes that docs/cli.md names for it. */
interface Use {
  readonly type: readonly string[];
  readonly input?: string;
  readonly codes?: readonly number[];
}

const use = (words: string, ...rest: string[]): Use => ({ type: [...words.split(' '), ...rest] });

/** Shown until a BUY or SELL comes, by test/integration/demo.test.ts. */
const ELSEWHERE = ['demo'];

it('every documented command does its work, as whoever runs this', async ({ onTestFinished }) => {
  const host = new TestHost();
  onTestFinished(async () => {
    await host.cli('stop');
    await endOf(host);
  }, 120_000);
  const work = tempDir();
  const project = join(work, 'my-bot');
  const file = join(work, 'all.tar.gz');
  const used = new Set<string>();

  const run = async ({ type, input = '', codes = [0] }: Use): Promise<string> => {
    const cwd = existsSync(project) ? project : work;
    const { code, stdout, stderr } = await host.cliWith({ cwd, input, env: { DISPLAY: undefined } }, ...type);
    const told = codes.includes(code ?? -1) ? 'as documented' : `exit code ${code}: ${stderr}${stdout}`;
    expect.soft(told, `platform ${type.join(' ')}`).toBe('as documented');
    const words = ENTRIES.map((entry) => entry.words).filter((one) => `${type.join(' ')} `.startsWith(`${one} `));
    used.add(words.sort((a, b) => b.length - a.length)[0] ?? '');
    return stdout;
  };
  /** What changes something, one after another. */
  const inTurn = async (...uses: readonly Use[]): Promise<void> => {
    for (const one of uses) await run(one);
  };
  /** What only reads, at once. */
  const together = (...uses: readonly Use[]): Promise<unknown> => Promise.all(uses.map(run));

  await together(
    use('stop'),
    use('completion bash'),
    { ...use('doctor'), codes: [0, 8] },
    use('init', project, '--template', 'node'),
  );
  await inTurn(use('start --headless --detach --port 0'), use('custom-bot validate'), use('custom-bot deploy'));
  const config = join(project, 'bot-config.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace(/1\.0\.0/, '1.0.1'));
  await inTurn(
    use('custom-bot deploy'),
    use('bot deploy', project),
    use('samples deploy python-portfolio-tracker'),
    use('bot run', 'My portfolio'),
  );
  await together(
    use('samples list'),
    use('custom-bot list'),
    use('custom-bot get my-bot'),
    use('custom-bot schema my-bot'),
    use('custom-bot files my-bot'),
    use('custom-bot diff my-bot 1.0.0 1.0.1'),
    use('bot list'),
    use('bot get my-bot'),
    use('bot diagnose my-bot'),
  );
  await together(
    use('bot logs my-bot'),
    use('bot query my-bot /status'),
    use('bot state my-bot'),
    use('bot runs my-bot'),
    use('bot metrics my-bot'),
    use('bot stats my-bot'),
    use('bot events my-bot'),
    { ...use('images list'), codes: [0, 6] },
    { ...use('images pull python311'), codes: [6] },
    use('storage'),
  );
  await together(
    use('keys list'),
    use('users list'),
    use('sessions list'),
    { ...use('sessions end none'), codes: [4] },
    use('moved-here'),
    use('isolation list'),
    { ...use('isolation end my-bot -y'), codes: [4] },
    use('preferences'),
    use('audit'),
    use('auth status'),
    use('connect'),
    use('open'),
    use('mcp'),
    use('dev --query /status'),
  );
  await inTurn(
    use('bot stop my-bot'),
    use('bot update my-bot --version 1.0.1'),
    use('bot start my-bot'),
    use('bot restart my-bot'),
    use('keys create program'),
    use('keys revoke program'),
    { ...use('users add bob --password-stdin'), input: 'a long enough password\n' },
    { ...use('users password bob --password-stdin'), input: 'another long password\n' },
    use('users role bob owner'),
    use('users remove bob -y'),
    { ...use('auth approve AAAA-AAAA'), codes: [3] },
    { ...use('auth password --password-stdin'), input: '\na long enough password\n' },
    use('auth login'),
    use('auth logout'),
    // On a busy machine the start of a program looks like memory that grows, a fault by 9.
    { ...use('custom-bot verify --seconds 5'), codes: [0, 8, 9] },
    use('bot delete my-bot -y'),
    use('custom-bot delete my-bot 1.0.1 -y'),
    use('backup --out', file),
    use('stop'),
    use('restore', file, '-y'),
  );
  const serve = host.spawnCli({}, 'serve', '--port', '0');
  const ended = new Promise((resolve) => serve.once('close', resolve));
  await new Promise((resolve) => serve.stdout?.once('data', resolve));
  serve.kill('SIGINT');
  expect.soft(await ended, 'platform serve, ended by Ctrl-C').toBe(0);
  used.add('serve');

  const left = ENTRIES.map((entry) => entry.words).filter((words) => !used.has(words) && !ELSEWHERE.includes(words));
  expect(left).toEqual([]);
}, 600_000);
