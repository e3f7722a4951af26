import type { RunTrigger } from '../../../contract/bot.ts';
import type { StopReason } from '../../../contract/stop-reason.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { RunEnd, RunRow } from '../control/run-store.ts';
import type { FailedStart } from './failed-start.ts';
import type { StopIntent } from './live-run.ts';

/** A run whose program this host supervises. */
export interface SupervisedRun {
  readonly run: Pick<RunRow, 'runId' | 'trigger'>;
  /** Name of the engine that started it. */
  readonly engine: string;
  /** Epoch of the bot with which the run was started. */
  readonly epoch: number;
  readonly intent: StopIntent;
  /** A user asked for a restart: the next start counts as one, not as a change. */
  readonly again: boolean;
}

/** An event of a bot. */
export type PlanEvent =
  /** Something may have changed: a wish, a timer, an engine. `trigger` names the start that may follow. */
  | { readonly is: 'look'; readonly trigger: RunTrigger }
  /** The check of all bots every few seconds, which repairs what a failed step left behind. */
  | { readonly is: 'pass' }
  /** The host has started: whatever kept the bot from starting may have been repaired while no host ran. */
  | { readonly is: 'hostStarted' }
  /** The host ends and ends its programs. */
  | { readonly is: 'hostEnds' }
  /** The orphans of the bot are to be taken over, and nothing else. */
  | { readonly is: 'takeOver' }
  /**
   * The host supervises an orphan from now on. `hasQuery`: its query program was found as well. `asked`: why an earlier host
   * has had its stop hook run.
   */
  | { readonly is: 'found'; readonly runId: string; readonly hasQuery: boolean; readonly asked: StopReason | null }
  /** The program of an orphan has ended unobserved; `drained`: all its lines are stored. */
  | { readonly is: 'gone'; readonly run: RunRow; readonly drained: boolean }
  /** An earlier host stored this run, and its program never started. */
  | { readonly is: 'unstarted'; readonly run: RunRow }
  /** The turn of a queued run has come; `unprepared`: the error that kept its engine from getting ready. */
  | { readonly is: 'due'; readonly run: RunRow; readonly unprepared: Error | null }
  /** The host supervises a program that it has just started. */
  | { readonly is: 'started'; readonly runId: string }
  /**
   * `isRecorded`: the run is stored. One by which a bot that waits for its engine was tried again is not. `hasUnit`: its program was
   * stored as well, before the engine refused it.
   */
  | ({
      readonly is: 'notStarted';
      readonly run: RunRow;
      readonly isRecorded: boolean;
      readonly hasUnit: boolean;
    } & FailedStart)
  /** The connection to the engine broke during a start: the program may run. */
  | { readonly is: 'mayRun' }
  /**
   * A run is stored as unfinished. `hasUnits`: a program of the run is stored as well. `isQueued`: its turn has not
   * come.
   */
  | { readonly is: 'unfinished'; readonly run: RunRow; readonly hasUnits: boolean; readonly isQueued: boolean }
  /** A user asked for one restart of the program. */
  | { readonly is: 'restart' }
  /** A hold of the bot was stored: its programs end at once, whatever else is done about the bot meanwhile. */
  | { readonly is: 'held' }
  | { readonly is: 'overtime'; readonly runId: string }
  | { readonly is: 'exited'; readonly runId: string }
  /** A run has ended; `drained`: all its lines are stored. */
  | {
      readonly is: 'ended';
      readonly run: SupervisedRun;
      readonly end: RunEnd;
      readonly upMs: number;
      readonly drained: boolean;
    }
  /** An engine that started programs of the bot does not answer. */
  | { readonly is: 'engineLost'; readonly engine: string }
  | { readonly is: 'engineBack' };

/** Facts about a bot beside its record and its supervised runs. */
export interface Facts {
  readonly event: PlanEvent;
  /** The host ends: it starts nothing more. */
  readonly closing: boolean;
  /**
   * Programs of the bot that the control database knows and this host does not supervise. `unasked`: some may run, and
   * their engines were not asked in this step. `mayRun`: the engine was asked, and a program may still run. `unended`:
   * a program may run and could not be ended.
   */
  readonly orphans: 'none' | 'unasked' | 'mayRun' | 'unended';
  /** `over`: the wait for the next start has ended by the steady clock, whatever the wall clock shows. */
  readonly restartTimer: 'none' | 'set' | 'over';
  /** `needed`: the engine must get ready before this bot can start. */
  readonly preparation: 'ready' | 'needed';
  /** True if a caller waits until the deleted bot stands still, or is gone. */
  readonly deletionWaiters: boolean;
  /** In [0, 1); spreads the waits of bots that fail at the same time. */
  readonly random: number;
}

/** A change of a bot's record and of one of its runs, stored in one transaction with the event that reports it. */
export interface RecordAction {
  readonly do: 'record';
  readonly change: Partial<BotRow>;
  /** `run`: reports the run even where the bot does not change. */
  readonly kind?: 'run';
  readonly runId?: string;
  /** The end of this run, stored with the change. */
  readonly end?: RunEnd;
  /** Units of the run whose records are removed: that of the bot's program, or all. */
  readonly forgets?: 'bot' | 'all';
  /** Set if the plan goes on with the next action even if a full disk refuses the record. */
  readonly evenOnFullDisk?: true;
  /** Set if nothing of the bot runs: the host shows that even if a full disk keeps it from being recorded. */
  readonly isOver?: true;
}

/** A step that the host takes next. The host does the actions of a plan in order and stops at the first that fails. */
export type Action =
  | RecordAction
  /** Adopts each orphan that runs, and records the end of each that is gone. */
  | { readonly do: 'adopt' }
  | { readonly do: 'endOrphans' }
  /** Asks for a new plan, because the last action changed the facts. */
  | { readonly do: 'again' }
  | { readonly do: 'look'; readonly trigger: RunTrigger }
  /** `reason` is what the stop hook is told; null: no hook runs. */
  | {
      readonly do: 'stop';
      readonly runId: string;
      readonly intent: 'stop' | 'timeout';
      readonly reason: StopReason | null;
      readonly again: boolean;
    }
  | { readonly do: 'setTimer'; readonly ms: number }
  | { readonly do: 'clearTimer' }
  /** Gets the engine ready in the background and tells the bot to look again; `show`: the record shows it. */
  | { readonly do: 'prepare'; readonly trigger: RunTrigger; readonly show: boolean }
  | { readonly do: 'prepareAhead' }
  | { readonly do: 'leavePreparation' }
  /**
   * Records a new run with the change of the bot, and starts its program. Null for a bot that waits for its engine: that is tried
   * again, and the run is recorded once its program starts.
   */
  | { readonly do: 'start'; readonly trigger: RunTrigger; readonly change: Partial<BotRow> | null }
  /** Starts the program of a run that is recorded. */
  | { readonly do: 'launch'; readonly run: RunRow; readonly unprepared: Error | null }
  /** Starts a due run once more after so many ms, when its engine may have what it lacked. */
  | { readonly do: 'startLater'; readonly run: RunRow; readonly ms: number }
  /** Starts the run of a missed due time in its turn. */
  | { readonly do: 'catchUp'; readonly run: RunRow }
  /** Watches a program: starts its query program, and checks who can reach it. */
  | { readonly do: 'watch'; readonly runId: string; readonly startQuery: boolean }
  | { readonly do: 'log'; readonly level: 'info' | 'error'; readonly message: string; readonly runId: string }
  /** Stores the last lines of a run and reads its end. */
  | { readonly do: 'collect'; readonly runId: string }
  /** Ends the host's supervision of the run. */
  | { readonly do: 'drop'; readonly runId: string }
  /** As `drop`, for the run of a deleted bot, whose end is not recorded. */
  | { readonly do: 'forget'; readonly runId: string }
  | { readonly do: 'removeOutput'; readonly runId: string }
  | { readonly do: 'collectLater'; readonly runId: string }
  | { readonly do: 'erase' }
  /** Tells whoever waits for the end of a deleted bot that it stands still. */
  | { readonly do: 'answerWaiters' }
  | { readonly do: 'refuseWaiters' };
