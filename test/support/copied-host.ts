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

/** Containers and some disks tell no identity that stays: a name works everywhere. */
const named = (name: string) => ({ PLATFORM_HOST_IDENTITY: name });

/** What the original is made of, beside the usual. */
export interface OriginalOptions {
  /** Source of the query program of its bot. */
  readonly query?: string;
  /** Environment of the hosts. */
  readonly env?: (name: string) => Readonly<Record<string, string>>;
}

/** Has a bot run, stops its host, and starts another host on a copy of the data folder. */
export async function copiedHost(
  onTestFinished: TestContext['onTestFinished'],
  options: OriginalOptions = {},
): Promise<CopiedHost> {
  const copied = await copiedFolder(onTestFinished, options);
  await copied.copy.start();
  return copied;
}

/** As `copiedHost`; the host on the copy is not started yet. */
export async function copiedFolder(
  onTestFinished: TestContext['onTestFinished'],
  { query, env = named }: OriginalOptions = {},
): Promise<CopiedHost> {
  const base = tempDir('platform-copied-');
  const hostOn = (name: string): TestHost => {
    const host = new TestHost(join(base, name));
    host.env = env(name);
    onTestFinished(() => endOf(host), 180_000);
    return host;
  };
  const original = hostOn('original');
  await original.start();
  const bot = "console.log('up'); setInterval(() => {}, 60_000);";
  const { bot_id: botId } = await deployTiny(original, {
    name: 'trader',
    runtime: 'nodejs24',
    bot,
    ...(query === undefined ? {} : { query }),
  });
  await lineUntil(original, botId, 'up');
  await original.stop();
  const copy = hostOn('copy');
  execFileSync('cp', ['-a', original.dataDir, copy.dataDir], { stdio: 'pipe' });
  return { original, copy, botId };
}
