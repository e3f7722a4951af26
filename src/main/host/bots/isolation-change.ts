import type { IsolationLevel } from '../../../contract/isolation.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { Isolation } from './isolation.ts';
import type { Journal } from './journal.ts';

/**
 * Engine that the setting `engine` names: its isolation level (null for `auto`), and whether the command line or the
 * environment of this start named it.
 */
export interface EngineWish {
  readonly level: IsolationLevel | null;
  readonly isNamedAtStart: boolean;
}

/**
 * Returns the least isolation of a starting host. The setting of an engine that isolates raises it, wherever the
 * setting stands. The stored level holds until a start names another engine: neither a missing flag nor a changed file
 * lowers it, nor a sandbox whose network a trial finds open, which may pass.
 */
export function leastIsolation(stored: IsolationLevel, wish: EngineWish): IsolationLevel {
  if (wish.level === 'partial' && stored === 'sandbox') return stored;
  if (wish.level !== null && wish.level !== 'none') return wish.level;
  return wish.isNamedAtStart ? 'none' : stored;
}

interface ChangeDeps {
  readonly bots: BotStore;
  readonly journal: Journal;
  readonly isolation: Isolation;
  readonly stored: IsolationLevel;
  readonly store: (least: IsolationLevel) => void;
  readonly transaction: <T>(work: () => T) => T;
  readonly now: () => number;
}

const listed = (bots: readonly BotRow[]): string => bots.map(({ name, botId }) => `${name} (${botId})`).join(', ');

/**
 * Stores the least isolation of a starting host, before any bot starts. If it rises, every enabled bot below it gets an
 * exception in the same transaction, so that no trading bot stops; a stopped bot gets none. If it falls, exceptions
 * end. Returns notes for the person who starts the host.
 */
export function changeLeastIsolation(deps: ChangeDeps): readonly string[] {
  const { least } = deps.isolation;
  if (least === deps.stored) return [];
  const tell = (bot: BotRow, isolationException: BotRow['isolationException'], message: string): void =>
    deps.journal.change(bot.botId, { isolationException }, { kind: 'updated', changes: [{ what: 'host', message }] });
  return deps.transaction(() => {
    deps.store(least);
    const isBelow = (bot: BotRow): boolean => deps.isolation.isBelow(bot.engine);
    for (const bot of deps.bots.all()) {
      if (bot.isolationException === null || isBelow(bot)) continue;
      tell(bot, null, `The host demands isolation "${least}" at least: the bot needs no exception any more`);
    }
    const below = deps.bots.all().filter((bot) => isBelow(bot) && !bot.deleting && bot.trash === null);
    if (below.length === 0) return [`The least isolation of this host is "${least}" from now on.`];
    const [kept, stopped] = [below.filter((bot) => bot.enabled), below.filter((bot) => !bot.enabled)];
    const exception = { least, since: deps.now() };
    for (const bot of kept) {
      tell(
        bot,
        exception,
        `The host demands isolation "${least}" at least; the bot keeps running with less isolation, as an exception`,
      );
    }
    const notes = [`The least isolation of this host is "${least}" from now on.`];
    if (kept.length > 0)
      notes.push(`These bots keep running with less isolation, until each is moved to another engine: ${listed(kept)}`);
    if (stopped.length > 0)
      notes.push(`These bots are stopped and can start only on an engine that isolates enough: ${listed(stopped)}`);
    return notes;
  });
}
