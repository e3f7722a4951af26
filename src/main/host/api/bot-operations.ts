import { setTimeout } from 'node:timers/promises';
import { toTimestamp } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { LedgerSummary } from '../../../contract/ledger.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { botStats } from '../bots/bot-stats.ts';
import { isStuck } from '../bots/reasons.ts';
import { botSecrets, putBack, refuseHidden } from '../bots/redacted-config.ts';
import type { BotRow } from '../control/bot-store.ts';
import { maskerOf } from '../logs/mask/masker.ts';
import { botChanges } from './bot-change-history.ts';
import { type Caller, type Handlers, isPerson, principalOf } from './handler-types.ts';
import { withActors } from './match-events-to-calls.ts';
import { ownBot, type Reach, reaches } from './own-bot.ts';
import { panic } from './panic.ts';
import { queryBot } from './route-query.ts';
import type { Services } from './services.ts';
import { updateBot } from './update-bot.ts';

const HOUR_MS = 3_600_000;

type BotOperations =
  | 'bots.list'
  | 'bots.activity'
  | 'bots.changes'
  | 'bots.get'
  | 'bots.stats'
  | 'bots.deploy'
  | 'bots.update'
  | 'bots.delete'
  | 'bots.start'
  | 'bots.panic'
  | 'bots.stop'
  | 'bots.restart'
  | 'bots.run'
  | 'bots.query'
  | 'bots.diagnosis'
  | 'bots.events'
  | 'runs.list'
  | 'runs.get'
  | 'runs.failures';

/** Instances and their runs. */
export function botOperations(s: Services): Pick<Handlers, BotOperations> {
  const own = (who: Reach, botId: string) => ownBot(s.bots, who, botId);
  const rescheduled = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    s.rescheduled();
    return result;
  };
  return {
    'bots.list': (_, caller) => ({
      items: s.records.list(caller.userId).filter((bot) => reaches(caller, bot.bot_id)),
    }),
    'bots.activity': async (_, caller) => {
      const ids = s.bots.list(caller.userId).flatMap(({ botId }) => (reaches(caller, botId) ? [botId] : []));
      const { items, incomplete } = await s.telemetry.activity(ids, caller.signal);
      const since = s.now() - HOUR_MS;
      return {
        items: items.map(({ botId, errors, warnings, symbols }) => ({
          bot_id: botId,
          errors,
          warnings,
          restarts: s.records.restartsSince(botId, since),
          symbols: [...symbols],
        })),
        incomplete,
      };
    },
    'bots.changes': ({ bot_id, limit }, caller) => ({
      items: botChanges(s, own(caller, bot_id), limit ?? LIMITS.logsDefault),
    }),
    'bots.get': async ({ bot_id }, caller) => {
      const { botId } = own(caller, bot_id);
      const ledger = await booksInShort(s, botId, caller.signal);
      // The bot as it is now: it may have changed meanwhile.
      return { ...s.records.of(own(caller, bot_id)), ledger };
    },
    'bots.stats': ({ bot_id }, caller) => {
      const bot = own(caller, bot_id);
      return botStats(bot, s.supervisor.liveRuns(bot_id), s.now());
    },
    'bots.deploy': (input, caller) => {
      s.secrets.assertKnown(caller.userId, input);
      const like = input.guards_of === undefined ? null : own(caller, input.guards_of).botId;
      const protect = (botId: string): void => {
        const made = s.bots.get(botId);
        if (made !== null && !isPerson(caller)) s.trash.refuseRemade(made);
        if (like === null) return;
        s.guards.copy(like, botId);
        s.networks.copy(like, botId);
      };
      return rescheduled(s.instances.deploy(caller.userId, input, protect));
    },
    'bots.update': (input, caller) => updateBot(s, caller, own(caller, input.bot_id), input),
    'bots.delete': async ({ bot_id, if_generation }, caller) => {
      const bot = own(caller, bot_id);
      const { name, keyName } = principalOf(caller);
      const inPerson = isPerson(caller);
      const by = { by: inPerson ? name : `key ${keyName ?? ''}`.trim(), inPerson };
      await s.trash.put(bot, by, () => s.query.endRuns(bot_id), if_generation);
      const at = s.bots.get(bot_id)?.trash?.at ?? s.now();
      return { bot_id, deleted: true, restorable_until: toTimestamp(at + LIMITS.trashMs) };
    },
    'bots.start': ({ bot_id, release, if_generation }, caller) => {
      const bot = own(caller, bot_id);
      // A hold waits for a person, whatever a key may do.
      if (release !== undefined && !isPerson(caller)) throw new PlatformError('SESSION_REQUIRED');
      return rescheduled(s.instances.start(bot, { release: release ?? null, ifGeneration: if_generation }));
    },
    'bots.panic': ({ bot_ids }, caller) => panic(s, caller, bot_ids ?? null),
    'bots.stop': ({ bot_id, if_generation }, caller) => s.instances.stop(own(caller, bot_id), if_generation),
    'bots.restart': ({ bot_id }, caller) => s.instances.restart(own(caller, bot_id)),
    'bots.run': ({ bot_id }, caller) => s.instances.runNow(own(caller, bot_id)),
    'bots.query': (input, caller) => queryBot(s, own(caller, input.bot_id), input),
    'bots.diagnosis': async ({ bot_id, run_id }, caller) => {
      const bot = own(caller, bot_id);
      const failure = await (run_id === undefined ? s.diagnosis.ofBot(bot) : s.diagnosis.ofRun(bot, run_id));
      return { bot_id, status: bot.status, failure };
    },
    'bots.events': ({ bot_id, limit, before, kind }, caller) => {
      const bot = own(caller, bot_id);
      return { items: withActors(s, bot, s.events.list(bot_id, limit ?? LIMITS.logsDefault, before, kind)) };
    },
    'runs.list': ({ bot_id, limit, before }, caller) => ({
      items: s.records.runs(own(caller, bot_id).botId, limit ?? LIMITS.logsDefault, before),
    }),
    'runs.get': ({ bot_id, run_id }, caller) => s.records.run(own(caller, bot_id).botId, run_id),
    'runs.failures': ({ bot_id }, caller) => s.diagnosis.failures(own(caller, bot_id)),
  };
}

/** Longest wait for the books of a bot. */
const BOOKS_WAIT_MS = 500;

/**
 * The books of a bot in short; null while they cannot be read, or not at once, because somebody searches a log: neither may hide
 * how the bot itself is.
 */
async function booksInShort(s: Services, botId: string, signal: AbortSignal): Promise<LedgerSummary | null> {
  const waiting = new AbortController();
  const isOver = AbortSignal.any([signal, waiting.signal]);
  const tooLate = setTimeout(BOOKS_WAIT_MS, null, { signal: waiting.signal, ref: false }).catch(() => null);
  try {
    const found = await Promise.race([s.telemetry.ledgerSummaries([botId], 'UTC', isOver), tooLate]);
    return found?.items[0]?.ledger ?? null;
  } catch (error) {
    if (error instanceof PlatformError) return null;
    throw error;
  } finally {
    waiting.abort();
  }
}

type DataOperations =
  | 'logs.get'
  | 'logs.summary'
  | 'logs.groups'
  | 'metrics.get'
  | 'metrics.list'
  | 'metrics.series'
  | 'state.list'
  | 'state.get'
  | 'state.set'
  | 'state.delete';

/** Logs, metrics and state of bots. */
export function dataOperations(s: Services): Pick<Handlers, DataOperations> {
  const own = (who: Reach, botId: string) => ownBot(s.bots, who, botId);
  /** Works on the state of a bot while none of its programs can run. A bot that trades by its state is changed by it. */
  const idle = <T>(caller: Caller, botId: string, job: (bot: BotRow) => T | Promise<T>): Promise<T> => {
    const bot = own(caller, botId);
    return s.supervisor.exclusively(botId, () => {
      if (!isPerson(caller) && s.approvals.needsPerson(s.bots.get(botId) ?? bot))
        throw new PlatformError('SESSION_REQUIRED', 'Only a person changes the state of an armed bot');
      if (s.supervisor.liveRuns(botId).length === 0 && !isStuck(s.bots.get(botId) ?? bot)) return job(bot);
      throw new PlatformError('BOT_RUNNING', 'A running bot owns its state', {
        hint: 'Stop the bot first: `platform bot stop`.',
      });
    });
  };
  /** A bot may keep its config in its state; its secret values are shown nowhere. */
  const hide = (bot: BotRow, value: unknown): unknown => maskerOf(botSecrets(s.unitSpecs, bot)).hideValues(value);
  const hidden = <T extends { readonly value?: unknown }>(bot: BotRow, state: T): T => ({
    ...state,
    value: hide(bot, state.value),
  });
  /** The stored value; undefined where there is none, or one that cannot be shown. */
  const stored = async (bot: BotRow, key: string): Promise<unknown> => {
    try {
      return (await s.state.get(bot.botId, key)).value;
    } catch (error) {
      if (error instanceof PlatformError) return undefined;
      throw error;
    }
  };
  /**
   * Puts stored values back for hidden ones that are sent back unchanged. Throws INVALID_REQUEST for a hidden one
   * elsewhere.
   */
  const whole = async (bot: BotRow, key: string, sent: unknown): Promise<unknown> => {
    const value = await stored(bot, key);
    if (value === undefined) return sent;
    const shown = hide(bot, value);
    const back = putBack(sent, shown, value);
    refuseHidden(back, shown, value, 'value');
    return back;
  };
  return {
    'logs.get': (input, caller) => {
      own(caller, input.bot_id);
      return s.telemetry.logs(input, caller.signal);
    },
    'logs.summary': async ({ bot_id }, caller) => {
      const bot = own(caller, bot_id);
      const [counts, failure] = await Promise.all([s.telemetry.summary(bot_id), s.diagnosis.ofBot(bot)]);
      return { ...counts, failure };
    },
    'logs.groups': (input, caller) => {
      own(caller, input.bot_id);
      return s.telemetry.groups(input, caller.signal);
    },
    'metrics.get': ({ bot_id }, caller) => s.telemetry.metrics(own(caller, bot_id).botId),
    'metrics.list': (input, caller) => {
      own(caller, input.bot_id);
      return s.telemetry.metricEvents(input);
    },
    'metrics.series': (input, caller) => {
      own(caller, input.bot_id);
      return s.telemetry.series(input);
    },
    'state.list': ({ bot_id }, caller) => s.state.list(own(caller, bot_id).botId),
    'state.get': async ({ bot_id, key }, caller) => hidden(own(caller, bot_id), await s.state.get(bot_id, key)),
    'state.set': ({ bot_id, key, value }, caller) =>
      idle(caller, bot_id, async (bot) => hidden(bot, await s.state.set(bot_id, key, await whole(bot, key, value)))),
    'state.delete': async ({ bot_id, key }, caller) => {
      await idle(caller, bot_id, () => s.state.delete(bot_id, key));
      return { ok: true };
    },
  };
}
