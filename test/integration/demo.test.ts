import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pidsUnder, ROOT } from '../support/platform.ts';
import { tempDir } from '../support/temp.ts';
import { until } from '../support/until.ts';

it.skipIf(process.platform === 'win32')('the demo ends at Ctrl-C with exit code 0 and leaves nothing', async () => {
  const temp = tempDir();
  const { PATH, HOME } = process.env;
  // In a group of its own, as a terminal starts it: Ctrl-C reaches the command and its host.
  const child = spawn(process.execPath, [join(ROOT, 'out/main/platform.js'), 'demo', '--port', '0'], {
    env: { PATH, HOME, TMPDIR: temp, PLATFORM_CONFIG_DIR: join(temp, 'client'), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  if (child.pid === undefined) throw new Error('the demo did not start');
  const group = -child.pid;
  try {
    // A price: the bot runs.
    await until(
      'the demo to show the sample bot at work',
      () => /price +AAPL/.test(printed),
      120_000,
      async () => printed,
    );
    process.kill(group, 'SIGINT');
    expect({ code: await ended, printed }).toEqual({
      code: 0,
      printed: expect.stringContaining('The demo has ended; nothing of it is left.'),
    });
  } finally {
    if (child.exitCode === null && child.signalCode === null) process.kill(group, 'SIGKILL');
  }
  expect(readdirSync(temp).filter((name) => name.startsWith('platform-demo-'))).toEqual([]);
  expect(pidsUnder(temp)).toEqual([]);
});
