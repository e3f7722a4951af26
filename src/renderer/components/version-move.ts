import type { Bot } from '../../contract/bot.ts';

/** Highest first, as the host lists them: a later one in the list is an older version. */
export function isOlder(versions: readonly string[], wanted: string, than: string): boolean {
  return versions.indexOf(wanted) > versions.indexOf(than);
}

/** The label for a change of version: a downgrade only if it is one for all. */
export function moveWord(
  versions: readonly string[],
  wanted: string,
  bots: readonly Pick<Bot, 'version'>[],
): 'Update' | 'Roll back' {
  const moved = bots.filter((bot) => bot.version !== wanted);
  return moved.length > 0 && moved.every((bot) => isOlder(versions, wanted, bot.version)) ? 'Roll back' : 'Update';
}
