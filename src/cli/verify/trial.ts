import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bot } from '../../contract/bot.ts';
import { LOCAL_ENGINE } from '../../contract/engine-choices.ts';
import { removeTree } from '../../node/remove-tree.ts';
import type { Project } from '../../project/read-project.ts';
import type { Client, Context } from '../command.ts';
import { readDiscovery } from '../discovery.ts';
import { startHost } from '../start-host-on-folder.ts';

/** Between two looks at a bot, milliseconds. */
const LOOK_MS = 100;

/** A package on trial: a host of its own on a folder that is removed afterwards. */
export interface Trial {
  readonly client: Client;
  readonly project: Project;
  /** The effective configuration, with the offline price feed where there is a setting for it. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The data folder of the host. */
  readonly dataDir: string;
  /** A folder for further files of the trial. */
  readonly workDir: string;
  readonly signal: AbortSignal;
}

/**
 * Starts a host with these settings (default: the engine for local processes), calls `use`, and removes all traces of
 * it.
 */
export async function withHost<T>(
  context: Context,
  settings: string | null,
  use: (host: { readonly client: Client; readonly dataDir: string; readonly workDir: string }) => Promise<T>,
): Promise<T> {
  const { cwd, env, signal } = context;
  const root = mkdtempSync(join(tmpdir(), 'platform-verify-'));
  const [dataDir, workDir] = [join(root, 'data'), join(root, 'work')];
  mkdirSync(workDir);
  try {
    const flags = [
      '--port',
      '0',
      '--key-folder',
      join(root, 'keys'),
      ...(settings === null ? ['--engine', LOCAL_ENGINE] : []),
    ];
    mkdirSync(dataDir, { mode: 0o700 });
    if (settings !== null) copyFileSync(resolve(cwd, settings), join(dataDir, 'settings.json'));
    const host = await startHost({ dataDir, env, flags, background: false });
    try {
      const { createClient } = await import('../client.ts');
      const credential = readDiscovery(dataDir)?.token ?? null;
      return await use({ client: createClient({ url: host.url, credential, signal }), dataDir, workDir });
    } finally {
      host.stop();
      await host.exited;
    }
  } finally {
    await removeTree(root);
  }
}

/** Looks at a bot until a condition holds or the time (ms) is over; resolves to the bot as it was seen last. */
export async function lookUntil(
  { client, signal }: Pick<Trial, 'client' | 'signal'>,
  botId: string,
  ms: number,
  holds: (bot: Bot) => boolean,
  each: () => Promise<void> = () => Promise.resolve(),
): Promise<Bot> {
  const end = performance.now() + ms;
  for (;;) {
    const bot = await client.call('bots.get', { bot_id: botId });
    if (holds(bot) || performance.now() >= end) return bot;
    await each();
    await wait(LOOK_MS, undefined, { signal });
  }
}

/** Returns the reason why a bot is not well, in a sentence, with its hint. */
export async function whyOf({ client }: Pick<Trial, 'client'>, bot: Bot): Promise<{ text: string; hint: string }> {
  const { failure } = await client.call('bots.diagnosis', { bot_id: bot.bot_id });
  if (failure === null)
    return {
      text: bot.reason?.message ?? `it is ${bot.status}`,
      hint: bot.reason?.hint ?? 'See what it prints with `platform dev`.',
    };
  return { text: failure.message, hint: failure.next.action };
}
