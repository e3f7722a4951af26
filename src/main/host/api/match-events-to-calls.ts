import { WAITING } from '../../../contract/audit-words.ts';
import type { BotEvent, Run } from '../../../contract/bot.ts';
import type { BotEventBy } from '../../../contract/bot-actor.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { BotChangeKind } from '../../../contract/operation.ts';
import { HELD } from '../../../shared/hold-words.ts';
import type { KeptAuditEntry } from '../auth/audit-trail.ts';
import type { BotRecords } from '../bots/wire-records.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { EventStore } from '../control/event-store.ts';
import { type ActorSources, actorsOf, changesByName, changingCalls, isWithin } from './bot-change-history.ts';

/**
 * Number of newest calls that changed the bot, of those that are found (CALLS_SEARCHED of `control/auth-store.ts`). The author of
 * an event from before them is unknown.
 */
const MOST_CHANGING_CALLS = 1000;
const MOST_CHANGES = 1000;
/** Tolerance in ms: an operation is timed to a fraction of a millisecond, an event to a whole one. */
const COARSE_MS = 2;

/** Kind of call that can cause an event. */
interface Cause {
  readonly verbs: readonly BotChangeKind[];
  /** True if the event fell into the time of the call; otherwise it may have come later. */
  readonly during: boolean;
  /** Set where the host makes such an event by itself as well: only a matching call shows that a user asked. */
  readonly unsure?: true;
}

/** Calls behind the start of a run, by its trigger. An update that enables a bot may start it as `manual`, too. */
const STARTS: Readonly<Partial<Record<Run['trigger'], readonly BotChangeKind[]>>> = {
  deploy: ['deploy'],
  update: ['update', 'approve'],
  restart: ['restart'],
  manual: ['run', 'start', 'update', 'arm'],
};
const STOPS: readonly BotChangeKind[] = ['stop', 'update', 'approve', 'restart', 'disarm', 'delete'];

/** Kinds of events that the host or the bot causes by itself. */
const OF_NOBODY: ReadonlySet<string> = new Set([
  'exposed',
  'duplicate_order',
  'egress_blocked',
  'network_lost',
  'network_back',
  'held',
  'arming_ends',
]);

const isHostChange = ({ kind, changes }: BotEvent): boolean =>
  kind === 'updated' && changes.some(({ what }) => what === 'host');

/** Returns the kind of call that causes such an event; null for an event that the host or the bot caused by itself. */
function causeOf(event: BotEvent, run: Run | null): Cause | null {
  const { kind, status, reason } = event;
  if (OF_NOBODY.has(kind) || kind.startsWith('guard_')) return null;
  if (reason?.code === HELD) return null;
  if (kind === 'deployed') return { verbs: ['deploy'], during: true };
  if (kind === 'updated') return isHostChange(event) ? null : { verbs: ['update', 'approve'], during: true };
  if (kind === 'change_waits') return { verbs: ['update'], during: true };
  // The host drops what has waited too long.
  if (kind === 'change_dropped') return { verbs: ['reject'], during: true, unsure: true };
  // The upgrade arms, too.
  if (kind === 'armed') return { verbs: ['arm'], during: true, unsure: true };
  if (kind === 'deleted') return { verbs: ['delete'], during: true };
  if (kind === 'restored') return { verbs: ['restore'], during: true };
  if (kind === 'disarmed') return { verbs: ['disarm'], during: true };
  if (kind === 'run') {
    const isStopped = run?.status === 'stopped' && reason?.code !== 'HOST_STOPPED';
    return isStopped ? { verbs: STOPS, during: false } : null;
  }
  if (status === 'stopping' || reason?.code === 'DISABLED') return { verbs: STOPS, during: false };
  const starts = status === 'starting' || status === 'running';
  // This event is recorded before its run exists.
  if (status === 'starting' && event.run_id === null) return { verbs: ['start', 'arm'], during: true, unsure: true };
  const verbs = starts && run !== null ? STARTS[run.trigger] : undefined;
  return verbs === undefined ? null : { verbs, during: false };
}

/** Returns the call that caused an event: the last one of its kind that began before the event. */
function callFor(
  event: BotEvent,
  { verbs, during }: Cause,
  calls: readonly KeptAuditEntry[],
  changes: ReadonlyMap<string, BotChangeKind>,
): KeptAuditEntry | null {
  const at = Date.parse(event.at);
  const fits = (call: KeptAuditEntry): boolean =>
    during ? isWithin(at, call.at, call.duration_ms) : Date.parse(call.at) <= at + COARSE_MS;
  const isOfKind = ({ operation, outcome }: KeptAuditEntry): boolean => {
    const change = changes.get(operation);
    if ((outcome === WAITING) !== (event.kind === 'change_waits')) return false;
    return change !== undefined && verbs.includes(change);
  };
  return calls.find((call) => isOfKind(call) && fits(call)) ?? null;
}

/**
 * Adds to each event of a bot the user or assistant who asked for it. Events do not name the call behind them: the
 * event and its run tell which kind of call to look for, and the audit trail names its author.
 */
export function withActors(
  s: ActorSources & { readonly records: Pick<BotRecords, 'run'>; readonly events: Pick<EventStore, 'changesSince'> },
  bot: BotRow,
  events: readonly BotEvent[],
): BotEventBy[] {
  const runs = new Map<string, Run | null>();
  const runOf = (id: string): Run | null => {
    const run = runs.has(id) ? (runs.get(id) ?? null) : knownRun(s, bot, id);
    runs.set(id, run);
    return run;
  };
  const changes = changesByName(s);
  let calls: readonly KeptAuditEntry[] | null = null;
  let byHost: readonly BotEvent[] | null = null;
  /** True if the host changed the bot between a call and an event: the event then follows from the change by the host. */
  const followsHost = (call: KeptAuditEntry, { event_id }: BotEvent): boolean => {
    byHost ??= s.events.changesSince(bot.botId, 0, MOST_CHANGES).filter(isHostChange);
    return byHost.some((change) => change.event_id < event_id && Date.parse(change.at) >= Date.parse(call.at));
  };
  const actor = actorsOf(s, bot.userId);
  return events.map((event) => {
    const run = event.run_id === null ? null : runOf(event.run_id);
    const trigger = run?.trigger ?? null;
    const cause = causeOf(event, run);
    if (cause === null) return { ...event, trigger, requested: false, by: null };
    calls ??= changingCalls(s, bot, MOST_CHANGING_CALLS);
    const call = callFor(event, cause, calls, changes);
    if (call !== null && followsHost(call, event)) return { ...event, trigger, requested: false, by: null };
    const requested = call !== null || cause.unsure !== true;
    return { ...event, trigger, requested, by: call === null ? null : actor(call) };
  });
}

/** The run of an event; null if its record has been removed since. */
function knownRun({ records }: { readonly records: Pick<BotRecords, 'run'> }, { botId }: BotRow, id: string) {
  try {
    return records.run(botId, id);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'RUN_NOT_FOUND') return null;
    throw error;
  }
}
