import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Bot } from '../contract/bot.ts';
import { compareVersions } from '../contract/limits.ts';
import { INSTANCE_FILE } from '../project/instance-check.ts';
import type { Context } from './command.ts';
import { typed } from './copyable-command.ts';
import { readJsonObject } from './json-file.ts';
import { printable } from './terminal-text.ts';

/** A version that was just published. */
export interface Published {
  readonly name: string;
  readonly type: string;
  readonly version: string;
}

const MOST_SHOWN = 3;

/** Commands that bring this version to bots that run another one. */
function updateLines(context: Context, older: readonly Bot[], version: string): string[] {
  const shown = older.slice(0, MOST_SHOWN);
  const more = older.length > shown.length ? [`  and ${older.length - shown.length} more`] : [];
  return [
    older.length === 1 ? 'A bot runs an older version. Give it this one with:' : 'Bots run an older version. Update:',
    ...shown.map((bot) => `  ${typed(context.name, 'bot update', bot.name, '--version', version)}`),
    ...more,
  ];
}

/** The next step for the bots that there are of a custom bot, as lines; none without such a bot. */
function stepsOfBots(context: Context, { name, type, version }: Published, bots: readonly Bot[]): string[] {
  const own = bots.filter((bot) => bot.type === `${type}/${name}`);
  const older = own.filter((bot) => compareVersions(bot.version, version) < 0);
  if (older.length > 0) return updateLines(context, older, version);
  const running = own.filter((bot) => bot.version === version);
  return running.length === 0 ? [] : [`It is used by ${running.map((bot) => printable(bot.name)).join(', ')}.`];
}

/** The next step after publishing a package, as lines. */
export function nextStepsOfPackage(context: Context, published: Published, bots: readonly Bot[]): string[] {
  const steps = stepsOfBots(context, published, bots);
  if (steps.length > 0) return steps;
  return [
    'A bot of it needs a JSON file with name, type, version and config. With that:',
    `  ${typed(context.name, 'bot deploy')} <instance.json>`,
  ];
}

/** The next step after publishing the project in `dir` (as it was given, '' for this folder), as lines. */
export async function nextSteps(
  context: Context,
  published: Published,
  dir: string,
  bots: readonly Bot[],
): Promise<string[]> {
  const file = join(dir, INSTANCE_FILE);
  const isHere = existsSync(join(context.cwd, file)) || existsSync(file);
  if (!isHere || stepsOfBots(context, published, bots).length > 0) return nextStepsOfPackage(context, published, bots);
  const { version } = published;
  const instance = await readJsonObject(context, file);
  const stale = instance.version === version ? [] : [`First set "version": "${version}" in ${printable(file)}.`];
  return [...stale, 'Create a bot from it; it starts at once:', `  ${typed(context.name, 'bot deploy', file)}`];
}
