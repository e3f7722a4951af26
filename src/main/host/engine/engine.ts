import type { Duplex } from 'node:stream';
import type { BotType } from '../../../contract/bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { EngineInfo } from '../../../contract/host.ts';
import type { IsolationLevel } from '../../../contract/isolation.ts';
import type { BoundedText } from '../../../node/bounded-read.ts';
import type { StateView } from '../state/state-view.ts';

/**
 * An engine runs bots: it starts, finds again and ends units. Restart, back-off, schedules and logs lie outside and are
 * the same for all. One contract suite (test/integration/engine-contract.ts) runs against every engine.
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

/** Progress of a preparation, in words for people. */
export type Progress = (text: string) => void;

/** Which program of a custom bot a unit runs: the bot itself, or its query program. */
export type UnitRole = 'bot' | 'query';

/** The code of a version of a custom bot. */
export interface UnitCode {
  /** Of its content: an engine that keeps a copy elsewhere knows by it which one it has. */
  readonly hash: string;
  /** Its folder on this machine, which is never written to. */
  readonly dir: string;
}

/** A machine on which an engine runs programs. */
export interface EngineNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** False while programs on it may run and cannot be reached. */
  readonly available: boolean;
}

/** Where a program may run: only on a node that has all these labels. */
export interface Placement {
  readonly labels: Readonly<Record<string, string>>;
}

/** Everything an engine needs to start one program. Folders are absolute and exist. */
export interface UnitSpec {
  readonly botId: string;
  readonly runId: string;
  readonly role: UnitRole;
  readonly botType: BotType;
  /** Canonical runtime id such as `python311`. */
  readonly runtime: string;
  /** Entry inside the code folder as bot-config.yaml gives it (`main.py`, `build/bot`, `app.jar:Main`). */
  readonly entry: string;
  readonly code: UnitCode;
  /** Private folder of the run: spool files, result, temporary files. */
  readonly runDir: string;
  /** BOT_ID, BOT_CONFIG, BOT_TYPE, RUN_ID and for a query run QUERY_*; the engine adds paths and ports. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: UnitLimits;
  /** A run that answers one query: state must not be written, the answer goes to QUERY_RESULT_FILE. */
  readonly queryRun: boolean;
  /**
   * A query run that is started before its question is known and waits for it (`Unit.warm`). Only with `queryRun`. An
   * engine that cannot do this refuses such a spec: without a question the program would start as a server.
   */
  readonly warm?: boolean;
  /** QUERY_TOKEN of a program that serves queries: requests to its port must carry it. */
  readonly queryToken?: string;
  /** `none`: no network at all, only where the engine can. Absent: the engine's usual network. */
  readonly network?: 'none';
  /** Absent: any node. */
  readonly placement?: Placement;
  /**
   * Rises with each change of the bot. An engine whose programs outlive the view of this host refuses an epoch below one
   * that it has seen of the bot: a host that went on with an old copy of the data folder starts nothing there.
   */
  readonly epoch: number;
}

/** Stored data for finding a unit again after the host was gone. Opaque outside its engine, JSON-serialisable. */
export interface UnitHandle {
  readonly engine: string;
  readonly [key: string]: unknown;
}

/** The end of a unit. All null: the end was not observed (the machine went down). */
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

/** The channel to a query run that waits for its question. */
export interface WarmChannel {
  /** True once the program has loaded its handlers and waits; false when it ended, or cannot wait. */
  readonly ready: Promise<boolean>;
  /** It is ready, unasked, alive, and has sent nothing unexpected since. */
  readonly isWaiting: boolean;
  /**
   * Hands over the one question, a line of JSON `{path, params}` with texts as params. True once the answer lies in
   * QUERY_RESULT_FILE (`Unit.answer`); false when the program ended, or broke the channel, before that.
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
  /** Resolves once the whole tree is gone; never rejects. */
  readonly exited: Promise<UnitExit>;
  /** Null unless the spec asked for it. */
  readonly warm: WarmChannel | null;
  /** SIGTERM to the tree, SIGKILL after `graceMs`; resolves like `exited`. Repeatable; a later shorter grace wins. */
  stop(graceMs: number): Promise<UnitExit>;
  /**
   * Reads RESULT_FILE, up to so many bytes. The program is not trusted: a link is not followed, a pipe not waited for.
   */
  result(most: number): Promise<BoundedText>;
  /** As `result`, for QUERY_RESULT_FILE. */
  answer(most: number): Promise<BoundedText>;
  /** Null when the unit is gone or the OS hides the numbers. */
  stats(): Promise<UnitStats | null>;
  /** Tells the unit how many bytes of its output wait to be stored, the only reason to pause it. */
  outputRead(unread: () => Promise<number>): void;
  /**
   * Opens a connection to this unit's query port. Rejects with NobodyListens when the program does not accept one, with
   * BOT_NOT_RUNNING when it serves no queries. The caller ends the connection.
   */
  connectQuery(): Promise<Duplex>;
  /**
   * Brings a query program's copy of the state up to date, before each query to it. Throws QUERY_FAILED where that cannot
   * be. An engine without this method shows its query programs the state itself, read-only.
   */
  refreshState?(): Promise<void>;
  /**
   * Addresses at which the program accepts connections; null if unknown. An engine without this method never knows: a
   * container's ports are not visible to others.
   */
  listening?(): Promise<Listening | null>;
}

/** An address, as the program itself sees it. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Addresses at which a program accepts connections. */
export interface Listening {
  readonly at: readonly Place[];
  /** The address for queries (QUERY_PORT); null for a program that serves none. */
  readonly queries: Place | null;
}

/** The program does not listen on its query port. */
export class NobodyListens extends Error {
  override readonly name = 'NobodyListens';
}

/**
 * A start with unknown outcome: the connection to the engine broke after the unit was created. The unit is treated like
 * one of an earlier host; nothing else of the bot may start before that.
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
 * Presence of an engine on this machine, apart from whether it can be used. `absent`: none is at its place, or this
 * user may not use it. `away`: one exists, or did, and hangs or fails. `there`: it answers.
 */
export type Presence = 'absent' | 'away' | 'there';

/** Constant facts about an engine: the words about it, and its abilities. */
export type EngineTraits = Pick<EngineInfo, 'title' | 'about' | 'summary' | 'remedy' | 'options' | 'images'>;

export interface Engine {
  readonly name: string;
  /** Isolation level of every program that it starts. */
  readonly level: IsolationLevel;
  readonly traits: EngineTraits;
  /** The engine and how far it isolates, in words for people. */
  probe(): Promise<EngineInfo>;
  /** As of the last `probe`; an engine that has no such method and cannot be used is `absent`. */
  presence?(): Promise<Presence>;
  /** Throws ENGINE_UNAVAILABLE or INVALID_CONFIG when the runtime cannot be run here; the message says what to install. */
  prepare(runtime: string, progress?: Progress): Promise<void>;
  /** Where it runs programs; a local engine has this machine alone. Throws ENGINE_UNAVAILABLE while that is unknown. */
  nodes(): Promise<readonly EngineNode[]>;
  /** True when `prepare` would settle at once: nothing has to be fetched first. */
  isReady(runtime: string): boolean;
  /**
   * Starts a program on a node that its placement allows, else throws ENGINE_UNAVAILABLE. `created` is called once, after the unit can be found again by its handle and before any code of
   * the bot runs; if it throws, or the host dies before it returns, the bot's code never runs. Rejects with a
   * PlatformError when the program cannot be started, with MayRun when it may run all the same.
   */
  start(spec: UnitSpec, created: (handle: UnitHandle) => void): Promise<Unit>;
  /** The unit of a handle stored by an earlier host: still running or ended meanwhile (then `exited` is settled soon). */
  adopt(spec: UnitSpec, handle: UnitHandle): Promise<Unit>;
  /**
   * For a handle that adopt() refuses: true only when certainly nothing of that unit runs. False while it runs, or when
   * that is unknown.
   */
  isGone(spec: UnitSpec, handle: unknown): Promise<boolean>;
  /**
   * True when the program of a handle runs on this machine, whichever data folder it belongs to. Changes nothing.
   * Throws ENGINE_UNAVAILABLE while that is unknown.
   */
  stillRuns(handle: unknown): Promise<boolean>;
  /** The persisted state of a bot on this engine, whether or not one of its programs runs. */
  state(botId: string): StateView;
  /** The output files of a role in a run folder, whether or not they exist. */
  outputs(runDir: string, role: UnitRole): readonly OutputFile[];
  /**
   * Ends orphaned programs of the data folder that the engine was made for: left by a host that was killed during a query, or started after the
   * backup from which the control database was restored. `isKnown` tells whether a run is known. Resolves to the ids of
   * the ended runs.
   */
  endOrphans(isKnown: (runId: string) => boolean): Promise<string[]>;
  /** Calls the listener whenever the engine, which answered before, can no longer be reached. */
  onLost(listener: () => void): void;
  /** Calls the listener whenever the engine answers again after it could not be reached. */
  onBack(listener: () => void): void;
  /** Releases the engine's own resources; units stay as they are. */
  close(): Promise<void>;
}
