import type { AuditQuery } from '../../../contract/account.ts';
import { invalid, PlatformError } from '../../../contract/errors.ts';
import { OPERATIONS, type Operation } from '../../../contract/operations.ts';
import { didYouMean } from '../../../shared/did-you-mean.ts';
import type { AuditedBot, AuditFilter } from '../control/auth-store.ts';
import { parseDateRange } from '../logs/date-range.ts';
import { changesByName } from './bot-change-history.ts';
import { type Reach, reaches } from './own-bot.ts';
import type { Services } from './services.ts';

type Sources = Pick<Services, 'auth' | 'bots' | 'assistantWords' | 'assistantChanges' | 'now'>;
type Wanted = Omit<AuditQuery, 'limit' | 'before'>;

/**
 * Returns what entries must have for which a caller asks; null where any will do. Throws INVALID_REQUEST for a time or an action
 * that does not exist, KEY_NOT_FOUND for a key that never was one of this user, and BOT_NOT_FOUND for a bot beyond the caller's key.
 */
export function auditFilter(s: Sources, who: Reach, { by, bot, action, date_range }: Wanted): AuditFilter | null {
  if (by === undefined && bot === undefined && action === undefined && date_range === undefined) return null;
  const range = date_range === undefined ? null : parseDateRange(date_range, s.now());
  const done = action === undefined ? null : operationsOf(s, action);
  const isByAssistant = by === 'assistant';
  return {
    from: range?.from ?? null,
    to: range?.to ?? null,
    keys: by === undefined || isByAssistant || by === 'person' ? null : keysCalled(s, who.userId, by),
    inPerson: by === 'person',
    operations: isByAssistant ? [...s.assistantWords.keys()].filter((name) => done?.includes(name) ?? true) : done,
    bot: bot === undefined ? null : botCalled(s, who, bot),
  };
}

/** Ids of the keys of a user with this id or name: several may have had one name. */
function keysCalled({ auth }: Sources, userId: string, called: string): string[] {
  const keys = auth.listKeys(userId).filter(({ key_id, name }) => key_id === called || name === called);
  if (keys.length > 0) return keys.map(({ key_id }) => key_id);
  throw new PlatformError('KEY_NOT_FOUND', `You have never had a key ${JSON.stringify(called)}`, {
    hint: 'Give `person`, `assistant`, or the name or id of a key: `platform keys list` shows them.',
  });
}

/** Every operation that the trail has entries of, with the verb of its words. */
function wordsOf({ assistantWords }: Sources): (readonly [operation: string, verb: string])[] {
  const own = Object.entries(OPERATIONS).flatMap(([name, { audit }]: [string, Operation]) =>
    audit === null ? [] : [[name, audit[1]] as const],
  );
  return [...own, ...[...assistantWords].map(([name, words]) => [name, words[1]] as const)];
}

function operationsOf(s: Sources, action: string): string[] {
  const words = wordsOf(s);
  const asked = action.trim().toLowerCase();
  const found = words.filter(([name, verb]) => name === asked || verb === asked).map(([name]) => name);
  if (found.length > 0) return found;
  const verbs = [...new Set(words.map(([, verb]) => verb))].sort();
  const near = didYouMean(asked, [...verbs, ...words.map(([name]) => name)]);
  const hint = near === null ? `Verbs are ${verbs.join(', ')}.` : `Did you mean "${near}"?`;
  throw invalid('INVALID_REQUEST', [
    { path: 'action', message: `nothing that is recorded is called "${action}"`, hint },
  ]);
}

/** How ids of bots begin: what else has the name of a bot as its subject, such as a custom bot, is not about the bot. */
const BOT_ID = /^bot_/;

/**
 * A bot by its id or name. By name also the entries of bots that are gone are found, which had it at the time; not for a key of
 * named bots, which they may lie beyond.
 */
function botCalled(s: Sources, who: Reach, called: string): AuditedBot {
  const operations = [...changesByName(s)].filter(([, change]) => change === 'deploy').map(([name]) => name);
  const byId = s.bots.get(called);
  if (byId !== null && byId.userId === who.userId && reaches(who, called)) {
    return { ids: [called], name: null, deployed: { operations, name: byId.name, at: byId.createdAt } };
  }
  const ids = s.bots
    .list(who.userId)
    .flatMap(({ botId, name }) => (name === called && reaches(who, botId) ? [botId] : []));
  if (who.botIds === null) {
    const gone = BOT_ID.test(called) ? [called] : [];
    return { ids: [...ids, ...gone], name: called, deployed: { operations, name: called, at: null } };
  }
  if (ids.length > 0) return { ids, name: null, deployed: null };
  throw new PlatformError('BOT_NOT_FOUND');
}
