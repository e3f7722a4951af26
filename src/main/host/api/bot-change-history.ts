import { WAITING } from '../../../contract/audit-words.ts';
import type { BotEvent } from '../../../contract/bot.ts';
import type { BotActor, BotChangeBy } from '../../../contract/bot-actor.ts';
import type { BotChangeKind } from '../../../contract/operation.ts';
import { OPERATIONS, type Operation } from '../../../contract/operations.ts';
import type { KeptAuditEntry } from '../auth/audit-trail.ts';
import type { Auth } from '../auth/auth.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { EventStore } from '../control/event-store.ts';

const CHANGING: readonly (readonly [string, BotChangeKind])[] = Object.entries(OPERATIONS).flatMap(([name, row]) => {
  const { botChange }: Operation = row;
  return botChange === null ? [] : [[name, botChange] as const];
});
/** Tolerance in ms: an operation is timed to a fraction of a millisecond, an event to a whole one. */
const COARSE_MS = 2;
const EVENTS = 200;
/** What is said of a call that changed nothing yet. */
const NOT_MADE: BotChangeBy['changes'] = [{ what: 'approval', message: 'Only asked for: a person has to approve it' }];

/** Sources that tell which user or assistant made a call. */
export interface ActorSources {
  readonly auth: Auth;
  /** Change of a bot by each call of an assistant, by the call's name in the audit trail. */
  readonly assistantChanges: ReadonlyMap<string, BotChangeKind>;
}

/** Returns the change of a bot that each call makes, by the call's name in the audit trail. */
export function changesByName({
  assistantChanges,
}: Pick<ActorSources, 'assistantChanges'>): ReadonlyMap<string, BotChangeKind> {
  return new Map([...CHANGING, ...assistantChanges]);
}

/** Calls that changed a bot, asked for a change of it, or started and stopped it, newest first. */
export function changingCalls({ auth, assistantChanges }: ActorSources, bot: BotRow, limit: number): KeptAuditEntry[] {
  const changes = changesByName({ assistantChanges });
  return (
    auth
      .listAuditOf(bot.userId, { targets: [bot.botId, bot.name], operations: [...changes.keys()] }, limit + 1)
      // A deployment is recorded by the name that was asked for: another bot may have had it before.
      .filter(({ operation, target, at, duration_ms }) =>
        changes.get(operation) === 'deploy' ? isWithin(bot.createdAt, at, duration_ms) : target === bot.botId,
      )
      .slice(0, limit)
  );
}

/** Returns a function that names the author of a user's call, with the present names of the user's keys. */
export function actorsOf({ auth }: Pick<ActorSources, 'auth'>, userId: string): (call: KeptAuditEntry) => BotActor {
  const keys = new Map(auth.listKeys(userId).map(({ key_id, name }) => [key_id, name]));
  return ({ method, key_id, client }) => ({
    method,
    key_id,
    key: key_id === null ? null : (keys.get(key_id) ?? null),
    client,
  });
}

/**
 * Returns changes of a bot on request, newest first, with their author. The audit trail names the author; the event
 * within the time of that call holds the difference.
 */
export function botChanges(
  { auth, assistantChanges, events }: ActorSources & { readonly events: Pick<EventStore, 'changesSince'> },
  bot: BotRow,
  limit: number,
): BotChangeBy[] {
  const calls = changingCalls({ auth, assistantChanges }, bot, limit);
  const oldest = calls.at(-1)?.at;
  const updates = oldest === undefined ? [] : events.changesSince(bot.botId, Date.parse(oldest), EVENTS);
  const actor = actorsOf({ auth }, bot.userId);
  return calls.map((call) => ({
    at: call.at,
    operation: call.operation,
    by: actor(call),
    changes: call.outcome === WAITING ? [...NOT_MADE] : changesOf(updates, call.at, call.duration_ms),
  }));
}

/** True for a moment (ms) within a call that lasted `durationMs`. */
export function isWithin(ms: number, begun: string, durationMs: number): boolean {
  const from = Date.parse(begun);
  return ms >= from - COARSE_MS && ms <= from + durationMs + COARSE_MS;
}

function changesOf(updates: readonly BotEvent[], at: string, durationMs: number): BotChangeBy['changes'] {
  const event = updates.find(({ kind, at: then }) => kind === 'updated' && isWithin(Date.parse(then), at, durationMs));
  return event === undefined ? [] : [...event.changes];
}
