import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { endOf, TestHost } from './platform.ts';
import { tempDir } from './temp.ts';
import { deployTiny, lineUntil } from './tiny-bot.ts';

/** A host that runs on the copy of a data folder, while the host of the original is stopped. */
export interface CopiedHost {
  readonly original: TestHost;
  readonly copy: TestHost;
  /** The bot that ran in the original and waits in the copy. */
  readonly botId: string;
}

/** Has a bot run, stops its host, and starts another host on a copy of the data folder. */
export async function copiedHost(onTestFinished: TestContext['onTestFinished']): Promise<CopiedHost> {
  const base = tempDir('platform-copied-');
  const hostOn = (name: string): TestHost => {
    const host = new TestHost(join(base, name));
    // Containers and some disks tell no identity that stays: a name works everywhere.
    host.env = { PLATFORM_HOST_IDENTITY: name };
    onTestFinished(() => endOf(host), 180_000);
    return host;
  };
  const original = hostOn('original');
  await original.start();
  const bot = "console.log('up'); setInterval(() => {}, 60_000);";
  const { bot_id: botId } = await deployTiny(original, { name: 'trader', runtime: 'nodejs24', bot });
  await lineUntil(original, botId, 'up');
  await original.stop();
  const copy = hostOn('copy');
  execFileSync('cp', ['-a', original.dataDir, copy.dataDir], { stdio: 'pipe' });
  await copy.start();
  return { original, copy, botId };
}
