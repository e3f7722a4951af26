import type { Reason, RunTrigger } from '../../../contract/bot.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { RunEnd, RunRow } from '../control/run-store.ts';
import type { StopIntent } from './live-run.ts';

/** A run whose program this host supervises. */
export interface SupervisedRun {
  readonly run: Pick<RunRow, 'runId' | 'trigger'>;
  /** Name of the engine that started it. */
  readonly engine: string;
  /** Generation of the bot that it was started with. */
  readonly generation: number;
  readonly intent: StopIntent;
  /** A user asked for a restart: the next start counts as one, not as a change. */
  readonly again: boolean;
}

/** An event of a bot. */
export type PlanEvent =
  /** Something may have changed: a wish, a timer, an engine. `trigger` names the start that may follow. */
  | { readonly is: 'look'; readonly trigger: RunTrigger }
  /** The look at all bots every few seconds, which repairs what a failed step left behind. */
  | { readonly is: 'pass' }
  /** The host has started. Whatever kept the bot from starting may have been put right while it was down. */
  | { readonly is: 'hostStarted' }
  /** The host ends, and the programs with it. */
  | { readonly is: 'hostEnds' }
  /** The orphans of the bot are to be taken over, and nothing else. */
  | { readonly is: 'takeOver' }
  /** The host supervises an orphan from now on; `hasQuery`: its query program was found as well. */
  | { readonly is: 'found'; readonly runId: string; readonly hasQuery: boolean }
  /** The program of an orphan has ended unseen; `drained`: all its lines are stored. */
  | { readonly is: 'gone'; readonly run: RunRow; readonly drained: boolean }
  /** An earlier host decided this run, and its program never began. */
  | { readonly is: 'unstarted'; readonly run: RunRow }
  /** The turn of a decided run has come; `unprepared`: why its engine could not get ready. */
  | { readonly is: 'due'; readonly run: RunRow; readonly unprepared: Error | null }
  /** The host supervises a program that it has just started. */
  | { readonly is: 'started'; readonly runId: string }
  | { readonly is: 'notStarted'; readonly run: RunRow; readonly why: Reason; readonly isLasting: boolean }
  /** The engine was lost during a start: the program may run. */
  | { readonly is: 'mayRun' }
  /** A run is stored as unfinished; `hasUnits`: so is a program of it. `isQueued`: its turn has not come. */
  | { readonly is: 'unfinished'; readonly run: RunRow; readonly hasUnits: boolean; readonly isQueued: boolean }
  /** A user wants the program ended once. */
  | { readonly is: 'restart' }
  | { readonly is: 'overtime'; readonly runId: string }
  | { readonly is: 'exited'; readonly runId: string }
  /** How a run ended is known, and whether all its lines are stored. */
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
   * their engines were not asked in this step. `mayRun`: asked, and one may still run. `unended`: nor could it be ended.
   */
  readonly orphans: 'none' | 'unasked' | 'mayRun' | 'unended';
  /** `over`: the wait for the next start has ended by the steady clock, whatever the wall clock says since. */
  readonly restartTimer: 'none' | 'set' | 'over';
  /** `needed`: the engine must get ready before this bot can start. */
  readonly preparation: 'ready' | 'needed';
  /** Somebody waits until the deleted bot is gone. */
  readonly deletionWaiters: boolean;
  /** In [0, 1); spreads the waits of bots that fail at once. */
  readonly random: number;
}

/** A change of a bot's record and of one of its runs, stored in one transaction with the event that tells of it. */
export interface RecordAction {
  readonly do: 'record';
  readonly change: Partial<BotRow>;
  /** `run`: tells of a run even where the bot does not change. */
  readonly kind?: 'run';
  readonly runId?: string;
  /** The end of this run, stored with the change. */
  readonly end?: RunEnd;
  /** Which programs of the run need not be found again. */
  readonly forgets?: 'bot' | 'all';
  /** The next action is due even if a full disk keeps the record out. */
  readonly evenOnFullDisk?: true;
  /** Nothing of the bot runs, which a full disk keeps from being recorded, not from being shown. */
  readonly isOver?: true;
}

/** A step that the host takes next. It does the actions of a plan in their order, and stops where one fails. */
export type Action =
  | RecordAction
  /** Adopts each orphan that runs, records the end of each that is gone. */
  | { readonly do: 'adopt' }
  | { readonly do: 'endOrphans' }
  /** Asks for a plan again: the last action has changed what is known. */
  | { readonly do: 'again' }
  | { readonly do: 'look'; readonly trigger: RunTrigger }
  | { readonly do: 'stop'; readonly runId: string; readonly intent: 'stop' | 'timeout'; readonly again: boolean }
  | { readonly do: 'setTimer'; readonly ms: number }
  | { readonly do: 'clearTimer' }
  /** Gets the engine ready in the background and looks again after that; `show`: the record tells of it. */
  | { readonly do: 'prepare'; readonly trigger: RunTrigger; readonly show: boolean }
  | { readonly do: 'prepareAhead' }
  | { readonly do: 'leavePreparation' }
  /** Records a new run with the change of the bot, and starts its program. */
  | { readonly do: 'start'; readonly trigger: RunTrigger; readonly change: Partial<BotRow> }
  /** Starts the program of a run that is recorded. */
  | { readonly do: 'launch'; readonly run: RunRow; readonly unprepared: Error | null }
  /** Makes up for a due time: its run is started in its turn. */
  | { readonly do: 'catchUp'; readonly run: RunRow }
  /** Watches a program: its query program, and who can reach it. */
  | { readonly do: 'watch'; readonly runId: string; readonly startQuery: boolean }
  | { readonly do: 'log'; readonly level: 'info' | 'error'; readonly message: string; readonly runId: string }
  /** Stores the last lines of a run and reads how it ended. */
  | { readonly do: 'collect'; readonly runId: string }
  /** The host supervises the run no more. */
  | { readonly do: 'drop'; readonly runId: string }
  /** As `drop`; the run of a deleted bot goes with it, unrecorded. */
  | { readonly do: 'forget'; readonly runId: string }
  | { readonly do: 'removeOutput'; readonly runId: string }
  | { readonly do: 'collectLater'; readonly runId: string }
  | { readonly do: 'erase' }
  | { readonly do: 'refuseWaiters' };
