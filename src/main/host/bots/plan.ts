import type { Reason, RunTrigger } from '../../../contract/bot.ts';
import type { StopReason } from '../../../contract/stop-reason.ts';
import { COPIED, NEEDS_ARMING, RESTORED, waitsForEngine } from '../../../shared/waiting-reasons.ts';
import { type BotRow, UNRECORDED } from '../control/bot-store.ts';
import type { RunEnd, RunRow } from '../control/run-store.ts';
import { LONGEST_WAIT_MS } from './backoff.ts';
import { afterFailedStart, dueRunAgainMs } from './failed-start.ts';
import { failedAgain, startedAgain } from './health.ts';
import type { Action, Facts, PlanEvent, RecordAction, SupervisedRun } from './plan-types.ts';
import { engineLost, heldReason, isStuck, NOT_ADOPTED, PREPARING, reason, revived } from './reasons.ts';
import { afterRun, describeEnd } from './run-end.ts';
import { endOfUnstarted } from './unstarted-run.ts';

/** Arguments of a plan. */
interface Known {
  readonly bot: BotRow;
  readonly runs: readonly SupervisedRun[];
  readonly facts: Facts;
  readonly now: number;
}

/** Reasons that say more of a bot than that it is stopped. */
const SAYS_MORE: ReadonlySet<string> = new Set([RESTORED, COPIED, NEEDS_ARMING, UNRECORDED]);
const NEVER_RAN = { exitCode: null, signal: null, result: null } as const;

/**
 * Decides the actions that follow from an event of a bot. Pure: it reads its arguments and nothing else, and everything
 * that a host decides about the programs of a bot is decided here.
 *
 * States. A realtime bot is `off` (stopped on request), `to stop` (off, and its program runs), `finished` (by itself),
 * `failed` (until something changes), `engine away` (failed since its engine does not answer), `waiting` (backs off after a
 * failure), `ready` (to be started), `unready` (ready, once its engine is), `running`, `outdated` (runs what it was before
 * a change), `replaced` (outdated, and the engine is not ready for its successor) or `stopping` (its program was asked to
 * end). A scheduled one is `idle`, `busy` (a run goes on) or runs `by hand` while its schedule is off. Of either kind it is
 * `unasked` (programs of before may run, and their engines were not asked), `orphaned` (they were, and one may still run),
 * `stuck` (orphaned, and its record says so), `freed` (its record says so, and it is over) or `closing` (the host ends).
 * A held bot is `off`, `to stop` or `stopping`, and says why; no run of it begins, not even one by hand.
 * A bot whose removal has begun is `deleted`, `leaving` (its program runs), `deleted, unasked`, `deleted, orphaned` or `deleted, stuck`
 * (and its orphan cannot be ended); one in the trash is `trashed`, or the same of those. `with a program` is each state whose program is supervised. Of several lines of one
 * event the first that names the state holds.
 *
 * | event                 | state                                | actions                                 |
 * | --------------------- | ------------------------------------ | --------------------------------------- |
 * | look                  | unasked; deleted, unasked            | adopt again                             |
 * | look                  | trashed, unasked                     | adopt again                             |
 * | look                  | orphaned                             | record                                  |
 * | look                  | freed                                | record again                            |
 * | look                  | stuck; closing                       | -                                       |
 * | look                  | deleted                              | clearTimer leavePreparation erase       |
 * | look                  | trashed                              | clearTimer leavePreparation answerWaiters |
 * | look                  | leaving; trashed, leaving            | stop                                    |
 * | look                  | deleted, orphaned; trashed, orphaned | endOrphans again                        |
 * | look                  | deleted, stuck; trashed, stuck       | refuseWaiters                           |
 * | look                  | off; finished; failed; engine away   | clearTimer leavePreparation             |
 * | look                  | running; stopping                    | clearTimer leavePreparation             |
 * | look                  | to stop                              | clearTimer leavePreparation record stop |
 * | look                  | waiting                              | setTimer                                |
 * | look                  | ready                                | clearTimer start                        |
 * | look                  | unready                              | clearTimer prepare                      |
 * | look                  | outdated                             | clearTimer record stop                  |
 * | look                  | replaced                             | prepare                                 |
 * | look                  | idle; busy; by hand                  | -                                       |
 * | pass                  | waiting                              | -                                       |
 * | pass                  | any                                  | as look                                 |
 * | hostStarted           | failed; engine away                  | record look                             |
 * | hostStarted           | any                                  | look                                    |
 * | hostEnds              | with a program                       | stop                                    |
 * | hostEnds              | any                                  | -                                       |
 * | engineLost            | leaving                              | -                                       |
 * | engineLost            | with a program                       | record                                  |
 * | engineLost            | any                                  | -                                       |
 * | engineBack            | engine away                          | record look                             |
 * | engineBack            | any                                  | look                                    |
 * | takeOver              | unasked; deleted, unasked            | adopt again                             |
 * | takeOver              | trashed, unasked                     | adopt again                             |
 * | takeOver              | orphaned; freed                      | record                                  |
 * | takeOver              | any                                  | -                                       |
 * | mayRun                | any                                  | as takeOver                             |
 * | found                 | stopping                             | stop                                    |
 * | found                 | with a program                       | watch                                   |
 * | found                 | any                                  | -                                       |
 * | found, asked          | stopping                             | stop                                    |
 * | found, asked          | with a program                       | record stop                             |
 * | found, asked          | any                                  | -                                       |
 * | gone                  | any deleted                          | forget                                  |
 * | gone                  | any                                  | record removeOutput                     |
 * | gone, undrained       | any deleted                          | forget                                  |
 * | gone, undrained       | any                                  | record                                  |
 * | unstarted             | any                                  | catchUp                                 |
 * | unstarted, late       | any                                  | record                                  |
 * | unfinished            | any                                  | -                                       |
 * | unfinished, no units  | closing                              | -                                       |
 * | unfinished, no units  | any                                  | record                                  |
 * | due                   | any deleted; closing                 | -                                       |
 * | due                   | any trashed                          | record                                  |
 * | due                   | off; to stop; by hand; stuck         | record                                  |
 * | due                   | unasked                              | adopt again                             |
 * | due                   | orphaned                             | record record                           |
 * | due                   | freed                                | record again                            |
 * | due                   | any                                  | launch                                  |
 * | due by hand           | any trashed                          | record                                  |
 * | due by hand           | off; to stop; by hand                | launch                                  |
 * | due by hand           | any                                  | as due                                  |
 * | started               | any                                  | watch                                   |
 * | notStarted            | idle; busy; by hand                  | record removeOutput                     |
 * | notStarted            | any                                  | record look removeOutput                |
 * | notStarted, lasting   | any                                  | record removeOutput                     |
 * | notStarted, engine    | idle; busy; by hand                  | removeOutput startLater                 |
 * | notStarted, engine    | any                                  | as notStarted                           |
 * | notStarted, refused   | any                                  | as notStarted                           |
 * | restart               | with a program                       | record stop                             |
 * | restart               | any                                  | -                                       |
 * | held                  | with a program                       | stop                                    |
 * | held                  | any                                  | -                                       |
 * | overtime              | with a program                       | stop                                    |
 * | overtime              | any                                  | -                                       |
 * | exited                | any deleted                          | forget look                             |
 * | exited                | any                                  | collect                                 |
 * | ended                 | any deleted                          | forget look                             |
 * | ended                 | any                                  | record log drop look removeOutput       |
 * | ended, undrained      | any deleted                          | forget look                             |
 * | ended, undrained      | any                                  | record log drop look collectLater       |
 */
export function plan(bot: BotRow, runs: readonly SupervisedRun[], facts: Facts, now: number): readonly Action[] {
  const known = { bot, runs, facts, now };
  const { event } = facts;
  switch (event.is) {
    case 'look':
      return look(known, event.trigger);
    case 'pass':
      return facts.restartTimer === 'set' ? [] : look(known, 'recovery');
    case 'hostStarted':
      return started(known);
    case 'engineBack':
      return back(known);
    case 'engineLost':
      return lost(known, event);
    case 'takeOver':
      return facts.closing ? [] : takeOver(known);
    case 'mayRun':
      return takeOver(known);
    case 'unfinished':
      return unfinished(known, event);
    case 'unstarted':
      return unstarted(known, event.run);
    case 'due':
      return due(known, event);
    case 'found':
      return found(known, event);
    case 'started':
      return [{ do: 'watch', runId: event.runId, startQuery: bot.type === 'realtime' }];
    case 'notStarted':
      return notStarted(known, event);
    case 'restart':
      return runs.flatMap((run) => [record({ status: 'stopping' }, run.run.runId), stop(run, 'requested', true)]);
    case 'held':
      return runs.map((run) => stop(run, stopReason(bot)));
    case 'overtime':
      return runs.filter(({ run }) => run.runId === event.runId).map((run) => endOvertime(run));
    case 'hostEnds':
      return runs.map((run) => stop(run, 'shutdown'));
    case 'exited':
      return bot.deleting ? forget(event.runId) : [{ do: 'collect', runId: event.runId }];
    case 'ended':
      return ended(known, event);
    case 'gone':
      return gone(known, event);
  }
}

type Of<K extends PlanEvent['is']> = Extract<PlanEvent, { is: K }>;

const record = (change: Partial<BotRow>, runId?: string): RecordAction => {
  return { do: 'record', change, ...(runId === undefined ? {} : { runId }) };
};

/** The first reason to end a run counts. */
const stop = (run: SupervisedRun, reason: StopReason, again = run.again): Action => ({
  do: 'stop',
  runId: run.run.runId,
  intent: run.intent === 'none' ? 'stop' : run.intent,
  reason,
  again,
});

/** A run that takes too long has had its time: no hook gets more. */
const endOvertime = ({ run, intent, again }: SupervisedRun): Action => ({
  do: 'stop',
  runId: run.runId,
  intent: intent === 'none' ? 'timeout' : intent,
  reason: null,
  again,
});

/** Why the programs of a bot that should not run are ended. */
const stopReason = ({ hold }: BotRow): StopReason => hold?.by ?? 'requested';

const neverRan = (run: RunRow, status: RunEnd['status'], why: Reason, now: number): RecordAction => ({
  do: 'record',
  change: {},
  kind: 'run',
  runId: run.runId,
  end: { ...NEVER_RAN, status, endedAt: now, reason: why },
});

/** The run of a bot that is being deleted has ended; its log and its record go with the bot. */
const forget = (runId: string): Action[] => [
  { do: 'forget', runId },
  { do: 'look', trigger: 'update' },
];

function look(known: Known, trigger: RunTrigger): readonly Action[] {
  const { bot, runs, facts } = known;
  if (bot.deleting || bot.trash !== null) return leave(known);
  if (facts.closing) return [];
  if (runs.length === 0 && facts.orphans === 'unasked') return [{ do: 'adopt' }, { do: 'again' }];
  const told = tellOfOrphans(known);
  if (runs.length === 0 && facts.orphans !== 'none') return told === null ? [] : [told];
  if (told !== null) return [told, { do: 'again' }];
  return bot.type === 'scheduled' ? lookScheduled(known, trigger) : lookRealtime(known, trigger);
}

/** A deleted bot goes once none of its programs can run; one in the trash is off then, and whoever waits for that is told. */
function leave({ bot, runs, facts, now }: Known): readonly Action[] {
  if (runs.length > 0) return runs.map((run) => stop(run, stopReason(bot)));
  if (facts.orphans === 'none') {
    const last: readonly Action[] = bot.deleting
      ? [{ do: 'erase' }]
      : [...settle(bot, 'stopped', now), { do: 'answerWaiters' }];
    return [{ do: 'clearTimer' }, { do: 'leavePreparation' }, ...last];
  }
  if (facts.orphans === 'unasked' && !facts.closing) return [{ do: 'adopt' }, { do: 'again' }];
  if (facts.orphans === 'mayRun') return [{ do: 'endOrphans' }, { do: 'again' }];
  return facts.deletionWaiters ? [{ do: 'refuseWaiters' }] : [];
}

/** The change that makes a bot's record tell the state of its orphans; null if it tells that already. */
function tellOfOrphans({ bot, runs, facts, now }: Known): RecordAction | null {
  const runsNow = runs.length > 0;
  if (!runsNow && facts.orphans === 'mayRun') {
    if (isStuck(bot)) return null;
    const message = 'An earlier program of this bot could not be taken over and may still be running';
    const hint =
      'The host log says why. The host tries again every few seconds; once you end that program the bot can start.';
    const why = reason(NOT_ADOPTED, message, hint, now);
    const health = failedAgain(bot.health, why, bot.type, true);
    return record({ status: 'failed', reason: why, nextAttemptAt: null, health });
  }
  // A user may have requested a start of the bot that was adopted just now.
  if (!isStuck(bot) && !(runsNow && bot.status === 'starting')) return null;
  const status = runsNow ? 'running' : bot.type === 'scheduled' ? 'scheduled' : 'starting';
  const health = startedAgain(bot.health, bot.type);
  return record({ status, reason: null, failures: 0, nextAttemptAt: null, health });
}

function takeOver(known: Known): readonly Action[] {
  if (known.facts.orphans === 'unasked') return [{ do: 'adopt' }, { do: 'again' }];
  const told = known.bot.deleting || known.bot.trash !== null ? null : tellOfOrphans(known);
  return told === null ? [] : [told];
}

/** A run that nothing works on: its start failed, and so did the record of that. */
function unfinished(known: Known, { run, hasUnits, isQueued }: Of<'unfinished'>): readonly Action[] {
  const { runs, facts, now } = known;
  if (facts.closing || isQueued || runs.some((one) => one.run.runId === run.runId)) return [];
  if (!hasUnits) {
    const message = 'The start failed, and at first could not even be recorded';
    return [neverRan(run, 'failed', reason('NOT_STARTED', message, null, now), now)];
  }
  // Without a supervised run every step of the bot takes over its orphans.
  return runs.length === 0 ? [] : takeOver(known);
}

function unstarted({ bot, runs, now }: Known, run: RunRow): readonly Action[] {
  if (runs.some((one) => one.run.runId === run.runId)) return [];
  const end = endOfUnstarted(bot, run, now);
  return end === null ? [{ do: 'catchUp', run }] : [{ ...record({}, run.runId), end }];
}

function due(known: Known, { run, unprepared }: Of<'due'>): readonly Action[] {
  const { bot, facts, now } = known;
  if (bot.deleting || facts.closing) return [];
  // It may have waited for its engine while the deletion or the hold came.
  if (bot.trash !== null)
    return [neverRan(run, 'skipped', reason('DISABLED', 'The bot was deleted before', null, now), now)];
  if (bot.hold !== null) return [neverRan(run, 'skipped', heldReason(bot.hold), now)];
  if (!bot.enabled && run.trigger !== 'manual')
    return [neverRan(run, 'skipped', reason('DISABLED', 'The bot was stopped before', null, now), now)];
  if (facts.orphans === 'unasked') return [{ do: 'adopt' }, { do: 'again' }];
  const told = tellOfOrphans(known);
  if (facts.orphans === 'none') return told === null ? [{ do: 'launch', run, unprepared }] : [told, { do: 'again' }];
  const message = 'An earlier program of this bot may still be running; the host log says why';
  return [...(told === null ? [] : [told]), neverRan(run, 'failed', reason(NOT_ADOPTED, message, null, now), now)];
}

function lookScheduled({ bot, runs, facts, now }: Known, trigger: RunTrigger): readonly Action[] {
  if (bot.enabled) {
    // Not with each periodic look at the bots: a failed preparation is not repeated every few seconds.
    const ahead = trigger !== 'restart' && trigger !== 'recovery' && facts.preparation === 'needed';
    const prepare: readonly Action[] = ahead ? [{ do: 'prepareAhead' }] : [];
    return [...settle(bot, runs.length > 0 ? 'running' : 'scheduled', now), ...prepare];
  }
  if (runs.length === 0) return settle(bot, 'stopped', now);
  // A run by hand continues beside a schedule that is off, until the user stops the bot.
  const endsAll = bot.status === 'stopping' || bot.hold !== null;
  return runs.flatMap((run) => (endsAll || run.run.trigger !== 'manual' ? [stop(run, stopReason(bot))] : []));
}

function lookRealtime(known: Known, trigger: RunTrigger): readonly Action[] {
  const { bot, runs, facts, now } = known;
  const [run] = runs;
  const hasFinished = bot.status === 'stopped' && bot.reason?.code === 'COMPLETED';
  const isWanted = bot.enabled && bot.status !== 'failed' && !hasFinished;
  const rest: readonly Action[] = [{ do: 'clearTimer' }, { do: 'leavePreparation' }];
  if (run !== undefined)
    return isWanted ? keepOrReplace(known, run, rest) : [...rest, ...end(run, stopReason(bot), false)];
  if (!isWanted) return bot.enabled ? rest : [...rest, ...settle(bot, 'stopped', now)];
  const ms = (bot.nextAttemptAt ?? 0) - now;
  const isOver = facts.restartTimer === 'over' || ms <= 0 || ms > LONGEST_WAIT_MS;
  return isOver ? [{ do: 'clearTimer' }, ...start(known, trigger)] : [{ do: 'setTimer', ms }];
}

/** An outdated program runs on until its successor can begin. */
function keepOrReplace({ bot, facts }: Known, run: SupervisedRun, rest: readonly Action[]): readonly Action[] {
  if (run.epoch === bot.epoch) return rest;
  if (run.intent === 'none' && facts.preparation === 'needed')
    return [{ do: 'prepare', trigger: 'update', show: false }];
  return [{ do: 'clearTimer' }, ...end(run, 'update', true)];
}

/** An unwanted program ends whether or not that can be recorded. One to be replaced runs on meanwhile. */
function end(run: SupervisedRun, why: StopReason, isReplaced: boolean): readonly Action[] {
  const stopping = record({ status: 'stopping' }, run.run.runId);
  return [isReplaced ? stopping : { ...stopping, evenOnFullDisk: true }, stop(run, why)];
}

function start({ bot, facts }: Known, trigger: RunTrigger): readonly Action[] {
  if (facts.preparation === 'needed') {
    const show = !waitsForEngine(bot) && (bot.status !== 'starting' || bot.reason?.code !== PREPARING);
    return [{ do: 'prepare', trigger, show }];
  }
  if (waitsForEngine(bot)) return [{ do: 'start', trigger, change: null }];
  const change = { status: 'starting', nextAttemptAt: null } as const;
  // A restart by a person is reported as one, whatever failed before it.
  if (bot.failures === 0 || trigger === 'restart') return [{ do: 'start', trigger, change }];
  return [{ do: 'start', trigger: 'recovery', change: { ...change, restarts: bot.restarts + 1 } }];
}

/** Keeps the reason of a scheduled bot's last failure until a run goes well. */
function settle(bot: BotRow, status: 'stopped' | 'scheduled' | 'running', now: number): readonly RecordAction[] {
  const kept = bot.reason?.code === 'DISABLED' ? null : bot.reason;
  const saysMore = status === 'stopped' && SAYS_MORE.has(bot.reason?.code ?? '');
  const why =
    status === 'stopped' && bot.hold !== null
      ? heldReason(bot.hold)
      : status === 'stopped' && !saysMore
        ? reason('DISABLED', 'Stopped on request', 'Start it again when you want it to run.', now)
        : kept;
  const same = bot.status === status && bot.reason?.code === why?.code;
  if (same) return [];
  const settled = record({ status, reason: why, nextAttemptAt: null });
  return [status === 'stopped' ? { ...settled, isOver: true } : settled];
}

/** An earlier host may have been asked to stop this program, and ended before it did that or saw the end. */
function found({ bot, runs }: Known, { runId, hasQuery, asked }: Of<'found'>): readonly Action[] {
  const run = runs.find((one) => one.run.runId === runId);
  if (run === undefined) return [];
  const isSame = run.epoch === bot.epoch;
  if (bot.status === 'stopping') {
    const why = bot.enabled && !isSame ? 'update' : stopReason(bot);
    return [stop(run, asked ?? why, isSame)];
  }
  // A program that was told that it ends must not go on as if nothing had happened.
  if (asked !== null) return [record({ status: 'stopping' }, runId), stop(run, asked)];
  return [{ do: 'watch', runId, startQuery: bot.type === 'realtime' && !hasQuery }];
}

/** The program of a stored run ended unobserved. */
function gone({ bot, now }: Known, { run, drained }: Of<'gone'>): readonly Action[] {
  if (bot.deleting) return [{ do: 'forget', runId: run.runId }];
  const why = reason('LOST', 'Ended unobserved, so its outcome is unknown', 'It could not be taken over before.', now);
  const lost = neverRan(run, 'lost', why, now);
  return drained
    ? [
        { ...lost, forgets: 'all' },
        { do: 'removeOutput', runId: run.runId },
      ]
    : [lost];
}

function notStarted(known: Known, { run, isRecorded, hasUnit, ...failed }: Of<'notStarted'>): readonly Action[] {
  const { bot, runs, facts, now } = known;
  const { runId } = run;
  const { why } = failed;
  const stillRunning = runs.length > 0;
  // The hold came during the start: that is no failure of the bot.
  if (bot.hold !== null && why.code === 'BOT_HELD')
    return [
      { ...neverRan(run, 'skipped', heldReason(bot.hold), now), forgets: 'bot' },
      { do: 'look', trigger: 'update' },
      { do: 'removeOutput', runId },
    ];
  // A program that is stored would be taken for one that ended unobserved.
  const ms = bot.type === 'scheduled' && !hasUnit ? dueRunAgainMs(run, failed, now) : null;
  if (ms !== null)
    return [
      { do: 'removeOutput', runId },
      { do: 'startLater', run, ms },
    ];
  const change = afterFailedStart({ ...failed, bot, stillRunning, at: now, random: facts.random });
  const end: RunEnd = { ...NEVER_RAN, status: 'failed', endedAt: now, reason: why };
  const stored: RecordAction = isRecorded ? { do: 'record', change, runId, end, forgets: 'bot' } : record(change);
  const wait: readonly Action[] = change.status === 'backing_off' ? [{ do: 'look', trigger: 'recovery' }] : [];
  return [stored, ...wait, { do: 'removeOutput', runId }];
}

function ended({ bot, runs, facts, now }: Known, event: Of<'ended'>): readonly Action[] {
  const { run, end, upMs, drained } = event;
  const { runId } = run.run;
  if (bot.deleting) return forget(runId);
  const stillRunning = runs.some((one) => one.run.runId !== runId);
  const { closing, random } = facts;
  const change = afterRun({ bot, run, end, upMs, now, random, stillRunning, closing });
  const stored: RecordAction = { do: 'record', change, kind: 'run', runId, end };
  const level = end.status === 'failed' || end.status === 'timed_out' ? 'error' : 'info';
  return [
    // Its secrets are needed until all its lines are stored.
    drained ? { ...stored, forgets: 'all' } : stored,
    { do: 'log', level, message: `Run ended: ${end.reason?.message ?? describeEnd(end)}`, runId },
    { do: 'drop', runId },
    { do: 'look', trigger: triggerAfter(run) },
    { do: drained ? 'removeOutput' : 'collectLater', runId },
  ];
}

/** Trigger of the run that follows this one of a realtime bot, if one is to start. */
function triggerAfter({ intent, again }: SupervisedRun): RunTrigger {
  if (intent !== 'stop') return 'recovery';
  return again ? 'restart' : 'update';
}

/** A bot without a program on that engine has no unknown state: the reason why it is stopped stays. */
function lost({ bot, runs, now }: Known, { engine }: Of<'engineLost'>): readonly Action[] {
  const isUnknown = runs.some((run) => run.engine === engine);
  return isUnknown && !bot.deleting ? [record({ reason: engineLost(engine, now) })] : [];
}

/** A bot that only waited for its engine is tried again at once. */
function back({ bot }: Known): readonly Action[] {
  const change = bot.deleting || bot.trash !== null ? null : revived(bot);
  return [...(change === null ? [] : [record(change)]), { do: 'look', trigger: 'boot' }];
}

function started({ bot }: Known): readonly Action[] {
  const again: Action = { do: 'look', trigger: 'boot' };
  if (bot.status !== 'failed' || !bot.enabled || isStuck(bot)) return [again];
  const health = startedAgain(bot.health, bot.type);
  return [record({ status: 'starting', reason: null, failures: 0, health }), again];
}
