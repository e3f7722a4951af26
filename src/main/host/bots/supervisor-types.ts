import type { KeyedMutex } from '../../../shared/keyed-mutex.ts';
import type { BotRow, BotStore } from '../control/bot-store.ts';
import type { EventStore } from '../control/event-store.ts';
import type { RunRow, RunStore } from '../control/run-store.ts';
import type { Telemetry } from '../logs/telemetry-types.ts';
import type { DeletionWaiters } from './deletion-waiters.ts';
import type { Journal } from './journal.ts';
import type { LiveRun } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import type { Exposures } from './network-exposure.ts';
import type { Orphans } from './orphans.ts';
import type { plan } from './plan.ts';
import type { PlanEvent } from './plan-types.ts';
import type { Preparations } from './preparation.ts';
import type { QueryPrograms } from './query-programs.ts';
import type { RestartTimers } from './restart-timers.ts';
import type { RunOutput } from './run-output.ts';
import type { RunStarter } from './run-starter.ts';
import type { BotFolders, UnitSpecs } from './unit-spec.ts';

/** Services and settings given to a supervisor. */
export interface SupervisorDeps {
  readonly bots: BotStore;
  readonly runs: RunStore;
  readonly events: EventStore;
  readonly journal: Journal;
  readonly unitSpecs: UnitSpecs;
  readonly telemetry: Telemetry;
  readonly folders: BotFolders & { bot(botId: string): string };
  readonly removeTree: (path: string) => Promise<void>;
  readonly newRunId: () => string;
  readonly now: () => number;
  readonly random: () => number;
  /** Time for which requests wait for an engine to get ready, in ms. */
  readonly patienceMs?: number | undefined;
  /** A run has begun with all of its programs, or was found again. */
  readonly begun?: ((bot: BotRow, live: LiveRun) => void) | undefined;
  /** Replaces the plan in tests of what the plan guards against. */
  readonly plan?: typeof plan | undefined;
  readonly onError: (where: string, error: unknown) => void;
}

/** Services that the steps of a bot work with. */
export interface SupervisorParts extends SupervisorDeps {
  readonly plan: typeof plan;
  readonly mutex: KeyedMutex;
  readonly live: LiveRuns;
  readonly timers: RestartTimers;
  readonly waiters: DeletionWaiters;
  readonly orphans: Orphans;
  readonly output: RunOutput;
  readonly preparations: Preparations;
  readonly queries: QueryPrograms;
  readonly exposures: Exposures;
  readonly starter: RunStarter;
  /** Starts a due run once more after so many ms, in its turn. */
  readonly startLater: (run: RunRow, ms: number) => void;
  /** Starts the run of a missed due time in its turn, without waiting. */
  readonly catchUp: (run: RunRow) => void;
  readonly isClosing: () => boolean;
  /** Tells a bot of an event without waiting; failures are reported to `onError`. */
  readonly tellSoon: (botId: string, event: PlanEvent) => void;
}
