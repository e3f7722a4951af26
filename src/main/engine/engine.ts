import type { BotType } from '../../contract/bot.ts';
import { PlatformError } from '../../contract/errors.ts';
import type { EngineInfo } from '../../contract/host.ts';

/**
 * What runs bots (architecture.md, "Engine interface"). An engine starts, finds again and ends units; restart, back-off,
 * schedules and logs lie outside and are the same for all. One contract suite in test/ runs against every engine.
 */

export interface UnitLimits {
  readonly memoryMb?: number;
  readonly processes?: number;
  readonly openFiles?: number;
  /** Share of the machine's processors, e.g. 0.5 or 2. Only containers are held to it. */
  readonly cpus?: number;
  /** Size of /tmp. Only containers are held to it. */
  readonly temporaryMb?: number;
}

/** How far a preparation has come, in words for people. */
export type Progress = (text: string) => void;

/** Which program of a custom bot a unit runs: the bot itself, or its query program. */
export type UnitRole = 'bot' | 'query';

/** Everything an engine needs to start one program. Folders are absolute and exist, `codeDir` is never written to. */
export interface UnitSpec {
  readonly botId: string;
  readonly runId: string;
  readonly role: UnitRole;
  readonly botType: BotType;
  /** Canonical runtime id such as `python311`. */
  readonly runtime: string;
  /** Entry inside the code folder as bot-config.yaml gives it (`main.py`, `build/bot`, `app.jar:Main`). */
  readonly entry: string;
  readonly codeDir: string;
  /** Persisted folder of the instance; keys live in its `.platform` folder (wire.md section 4). */
  readonly stateDir: string;
  /** Private folder of the run: spool files, result, temporary files. */
  readonly runDir: string;
  /** BOT_ID, BOT_CONFIG, BOT_TYPE, RUN_ID and for a query run QUERY_*; the engine adds paths and ports. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: UnitLimits;
  /** A run that answers one query: state must not be written, the answer goes to QUERY_RESULT_FILE. */
  readonly queryRun: boolean;
  /**
   * A query run that is started before its question is known and waits for it (`Unit.warm`). Only with `queryRun`. An
   * engine that cannot do this refuses such a spec: without a question the program would take itself for a server.
   */
  readonly warm?: boolean;
  /** `none`: no network at all, only where the engine can. Absent: the engine's usual network. */
  readonly network?: 'none';
}

/** What is stored to find a unit again after the host was gone. Opaque outside its engine, JSON-serialisable. */
export interface UnitHandle {
  readonly engine: string;
  readonly [key: string]: unknown;
}

/** How a unit ended. All null: nobody saw the end (the machine went down). */
export interface UnitExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
  /** The engine ended it because of a limit, e.g. `out of memory`. */
  readonly limit?: string;
}

export interface UnitStats {
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** Since the unit began. Null where it shares the network of the machine. */
  readonly network: { readonly receivedBytes: number; readonly sentBytes: number } | null;
}

/** The line to a query run that waits for its question. */
export interface WarmChannel {
  /** True once the program has loaded its handlers and waits; false when it ended, or does not know how to wait. */
  readonly ready: Promise<boolean>;
  /** It is ready, was not asked yet, and has neither ended nor said anything else since. */
  readonly isWaiting: boolean;
  /**
   * Hands over the one question, a line of JSON `{path, params}` with texts as params. True once the answer lies in
   * QUERY_RESULT_FILE; false when the program ended, or broke the line, before it said so.
   */
  ask(question: string): Promise<boolean>;
}

/** An append-only file that holds one output stream of a unit. */
export interface OutputFile {
  readonly path: string;
  readonly stream: 'stdout' | 'stderr';
}

/** A running (or just ended) program. */
export interface Unit {
  readonly handle: UnitHandle;
  readonly startedAt: number;
  /** Output files of this role; they exist from before the program starts until the caller removes the run folder. */
  readonly outputs: readonly OutputFile[];
  /** Where the program wrote its result, and its query answer, when it did. */
  readonly resultFile: string;
  readonly queryResultFile: string;
  /** Resolves once the whole tree is gone; never rejects. */
  readonly exited: Promise<UnitExit>;
  /** Null unless the spec asked for it. */
  readonly warm: WarmChannel | null;
  /** SIGTERM to the tree, SIGKILL after `graceMs`; resolves like `exited`. Repeatable; a later shorter grace wins. */
  stop(graceMs: number): Promise<UnitExit>;
  /** Null when the unit is gone or the OS does not tell. */
  stats(): Promise<UnitStats | null>;
  /** Tells the unit how much of its output still waits to be stored, in bytes: only for that may it be held. */
  outputRead(unread: () => Promise<number>): void;
  /** Where the host reaches the port on which this unit serves queries. */
  queryAddress(): { readonly host: string; readonly port: number };
}

/**
 * A start whose outcome nobody knows: the way to the engine broke after the unit was created. What was created is looked
 * after as if an earlier host had left it; nothing else of the bot may be started before.
 */
export class MayRun extends PlatformError {
  constructor(cause: unknown) {
    super('ENGINE_UNAVAILABLE', 'The engine was lost while the bot was started, so it may run or not', {
      hint: 'It is looked up as soon as the engine is back.',
      retryAfter: 5,
      cause,
    });
  }
}

/**
 * Whether an engine is on this machine, apart from whether it can be used. `absent`: nothing is where it would be, or this
 * user may not use it. `away`: one is there, or was, and hangs or answers with an error. `there`: it answers.
 */
export type Presence = 'absent' | 'away' | 'there';

export interface Engine {
  readonly name: string;
  /** What is there and how far it isolates, in words for people. */
  probe(): Promise<EngineInfo>;
  /** As of the last `probe`; an engine that has no such method and cannot be used is `absent`. */
  presence?(): Promise<Presence>;
  /** Throws ENGINE_UNAVAILABLE or INVALID_CONFIG when the runtime cannot be run here; the message says what to install. */
  prepare(runtime: string, progress?: Progress): Promise<void>;
  /** True when `prepare` would settle at once: nothing has to be fetched first. */
  isReady(runtime: string): boolean;
  /**
   * Starts a program. `created` is called once, after the unit can be found again by its handle and before any code of
   * the bot runs; if it throws, or the host dies before it returns, the bot's code never runs. Rejects with a
   * PlatformError when the program cannot be started, with MayRun when it may run all the same.
   */
  start(spec: UnitSpec, created: (handle: UnitHandle) => void): Promise<Unit>;
  /** The unit of a handle stored by an earlier host: still running or ended meanwhile (then `exited` is settled soon). */
  adopt(spec: UnitSpec, handle: UnitHandle): Promise<Unit>;
  /**
   * For a handle with which adopt fails: true when surely nothing runs any more of that unit. False when it still runs,
   * and when nobody can tell.
   */
  isGone(spec: UnitSpec, handle: unknown): Promise<boolean>;
  /** The output files of a role in a run folder, whether or not they are there. */
  outputs(runDir: string, role: UnitRole): readonly OutputFile[];
  /**
   * Ends programs of this data folder that nobody knows any more: left by a host that was killed during a query, or
   * started after the backup from which the control database was restored. `isKnown` tells of a run whether it is known.
   * Resolves to the ids of the runs that were ended.
   */
  endStrays(botsDir: string, isKnown: (runId: string) => boolean): Promise<string[]>;
  /** Calls the listener whenever the engine, which answered before, can no longer be reached. */
  onLost(listener: () => void): void;
  /** Calls the listener whenever the engine answers again after it could not be reached. */
  onBack(listener: () => void): void;
  /** Lets go of what the engine itself holds; units are left as they are. */
  close(): Promise<void>;
}
