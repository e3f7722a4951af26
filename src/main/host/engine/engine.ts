import type { Duplex } from 'node:stream';
import type { BotType } from '../../../contract/bot.ts';
import type { NamedInterpreter } from '../../../contract/custom-bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { EngineInfo } from '../../../contract/host.ts';
import type { IsolationLevel } from '../../../contract/isolation.ts';
import type { StopReason } from '../../../contract/stop-reason.ts';
import type { BoundedText } from '../../../node/read-untrusted.ts';
import type { StateView } from '../state/state-view.ts';
import type { StopHookEnd } from './stop-hook.ts';

/**
 * An engine runs bots: it starts, finds again and ends units. Restart, back-off, schedules and logs are handled outside
 * of engines, in the same way for all. One contract suite (test/integration/engine-contract.ts) runs against every
 * engine.
 */

/**
 * Whose network a program has. `machine`: that of this machine, and proxy settings that may lead it to the gate. `own`: one of its
 * engine, past the gate. `gate`: the gate alone, by its engine. `none`: none at all.
 */
export type NetworkUse = 'machine' | 'own' | 'gate' | 'none';

/** What holds a program from its start to its end, whatever its engine could do for another one now. */
export interface Confinement {
  readonly level: IsolationLevel;
  readonly network: NetworkUse;
  /** Port at which it looks for the gate; null where nothing led it there. Unknown of programs that earlier releases started. */
  readonly gatePort: number | 'unknown' | null;
}

export interface UnitLimits {
  readonly memoryMb?: number;
  readonly processes?: number;
  readonly openFiles?: number;
  /** Share of the machine's processors, e.g. 0.5 or 2. Only containers enforce it. */
  readonly cpus?: number;
  /** Size of /tmp. Only containers enforce it. */
  readonly temporaryMb?: number;
}

/** Progress of a preparation, in words for people. */
export type Progress = (text: string) => void;

/** Program of a custom bot that a unit runs: the bot itself, or its query program. */
export type UnitRole = 'bot' | 'query';

/** The code of a version of a custom bot. */
export interface UnitCode {
  /** Hash of the content, by which an engine that keeps copies elsewhere recognises the code. */
  readonly hash: string;
  /** Folder of the code on this machine, which nothing writes to. */
  readonly dir: string;
}

/** A machine on which an engine runs programs. */
export interface EngineNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** False while programs on the node may run but the engine cannot reach them. */
  readonly available: boolean;
}

/** Placement of a program: only nodes that have all these labels may run it. */
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
  /** The interpreter that the package names; only for a runtime that leaves it to the package. */
  readonly command?: NamedInterpreter;
  readonly code: UnitCode;
  /** Private folder of the run: spool files, result, temporary files. */
  readonly runDir: string;
  /** BOT_ID, BOT_CONFIG, BOT_TYPE, RUN_ID and for a query run QUERY_*; the engine adds paths and ports. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: UnitLimits;
  /** A run that answers one query: it must not write state, and its answer goes to QUERY_RESULT_FILE. */
  readonly queryRun: boolean;
  /**
   * A query run that is started before its question is known and waits for it (`Unit.warm`). Only with `queryRun`. An
   * engine without this ability refuses the spec, because without a question the program would start as a server.
   */
  readonly warm?: boolean;
  /** QUERY_TOKEN of a program that serves queries: requests to its port must carry it. */
  readonly queryToken?: string;
  /** The token that the host shows on the control channel of the bot itself; absent for every other program. */
  readonly controlToken?: string;
  /** `none`: no network at all, only with engines that can enforce it. Absent: the engine's usual network. */
  readonly network?: 'none';
  /** Port of the gate to which `env` leads the program; absent where it leads it to none. */
  readonly gatePort?: number;
  /** Absent: any node. */
  readonly placement?: Placement;
  /**
   * Rises with each change of the bot. An engine whose programs outlive their host's control refuses an epoch below one
   * that it has seen for the bot, so that a host with an old copy of the data folder starts nothing there.
   */
  readonly epoch: number;
}

/** Stored data for finding a unit again after its host has ended. Opaque outside its engine, JSON-serialisable. */
export interface UnitHandle {
  readonly engine: string;
  readonly [key: string]: unknown;
}

/** The end of a unit. All null: no host observed the end (the machine went down). */
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
  /** Bytes since the unit began; null where it shares the network of the machine. */
  readonly network: { readonly receivedBytes: number; readonly sentBytes: number } | null;
}

/** The channel to a query run that waits for its question. */
export interface WarmChannel {
  /** True once the program has loaded its handlers and waits; false when it ended, or cannot wait. */
  readonly ready: Promise<boolean>;
  /** True if the program is ready, has not been asked, is alive, and has sent nothing unexpected. */
  readonly isWaiting: boolean;
  /**
   * Hands over the one question, a line of JSON `{path, params}` with texts as params. Resolves to true once the answer
   * is in QUERY_RESULT_FILE (`Unit.answer`), to false when the program ended or broke the channel before that.
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
  /** As it was started, also by an earlier host. */
  readonly confinement: Confinement;
  /** Output files of this role; they exist from before the start of the program until the caller removes the run folder. */
  readonly outputs: readonly OutputFile[];
  /** Resolves once every process of the tree is gone; never rejects. */
  readonly exited: Promise<UnitExit>;
  /** Null unless the spec has `warm`. */
  readonly warm: WarmChannel | null;
  /**
   * Has the program run its stop hook for a reason, and waits for that, at most `graceMs` in all since a host first asked;
   * the caller then ends it by `stop`. Asks once: a later call, also of the next host, waits for the same hook. Rejects when
   * the program could not be asked. Absent where a program has no control channel.
   */
  runStopHook?(reason: StopReason, graceMs: number): Promise<StopHookEnd>;
  /** The reason for which a host, also an earlier one, has had the hook run; null for none. */
  stopAsked?(): Promise<StopReason | null>;
  /** Sends SIGTERM to the tree, SIGKILL after `graceMs`; resolves like `exited`. Repeatable; a later shorter grace wins. */
  stop(graceMs: number): Promise<UnitExit>;
  /** Reads up to `most` bytes of RESULT_FILE. The program is not trusted: a link is not followed, a pipe not waited for. */
  result(most: number): Promise<BoundedText>;
  /** As `result`, for QUERY_RESULT_FILE. */
  answer(most: number): Promise<BoundedText>;
  /** Null when the unit is gone or the OS hides the numbers. */
  stats(): Promise<UnitStats | null>;
  /** Gives the unit a function for the bytes of its output that wait to be stored, the only reason to pause it. */
  outputRead(unread: () => Promise<number>): void;
  /**
   * Opens a connection to this unit's query port. Rejects with NobodyListens when the program does not accept one, with
   * BOT_NOT_RUNNING when it serves no queries. The caller ends the connection.
   */
  connectQuery(): Promise<Duplex>;
  /**
   * Updates a query program's copy of the state, before each query to it. Throws QUERY_FAILED if the copy cannot be
   * updated. An engine without this method gives its query programs the state itself, read-only.
   */
  refreshState?(): Promise<void>;
  /**
   * Addresses at which the program accepts connections; null if unknown. An engine lacks this method where others
   * cannot reach its ports, as with containers.
   */
  listening?(): Promise<Listening | null>;
}

/** An address as the program itself sees it. */
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
 * A start with unknown outcome: the connection to the engine broke after the unit was created. The host treats the unit
 * like one of an earlier host; until that is done, it may start nothing else of the bot.
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
 * Presence of an engine on this machine, whether or not it can be used. `absent`: none is at its address, or this user
 * may not use it. `away`: one exists, or did, and hangs or fails. `there`: it answers.
 */
export type Presence = 'absent' | 'away' | 'there';

/** Constant facts about an engine: its texts and its abilities. */
export type EngineTraits = Pick<EngineInfo, 'title' | 'about' | 'summary' | 'remedy' | 'options' | 'images'>;

export interface Engine {
  readonly name: string;
  /** Isolation level of the programs that the engine starts now. */
  readonly level: IsolationLevel;
  /**
   * The network of its programs, unless `UnitSpec.network` takes it. `machine`: that of this machine, so that they can be led
   * through the gate. `gate`: the gate alone, to which the engine leads them. `own`: one of the engine.
   */
  readonly networkUse: Exclude<NetworkUse, 'none'>;
  /** True while it starts no program of a bot in network mode `enforce`, because nothing would hold one to its permits. */
  readonly refusesEnforce?: boolean;
  readonly traits: EngineTraits;
  /** A bot that names no engine gets this one only where the setting names it, or the least isolation demands it. */
  readonly isOptIn?: boolean;
  /**
   * The level that the next trial of this machine may show, where the last one has shown less, and the time in ms after which there is
   * one; null where the level is what it is.
   */
  readonly nextTrial?: { readonly level: IsolationLevel; readonly afterMs: number } | null;
  /** Returns the engine and its isolation, in words for people. Tries again what the last trial has shown to fail. */
  probe(): Promise<EngineInfo>;
  /** Presence as of the last `probe`; an unusable engine without this method is `absent`. */
  presence?(): Promise<Presence>;
  /**
   * Throws ENGINE_UNAVAILABLE or INVALID_CONFIG when the runtime cannot run here; the message says what to install. `command`: the
   * interpreter that the package names; INTERPRETER_NOT_ALLOWED or INTERPRETER_UNUSABLE where it cannot run here.
   */
  prepare(runtime: string, progress?: Progress, command?: NamedInterpreter): Promise<void>;
  /**
   * Returns the nodes on which the engine runs programs; for a local engine only this machine. Throws
   * ENGINE_UNAVAILABLE while they are unknown.
   */
  nodes(): Promise<readonly EngineNode[]>;
  /** True when `prepare` would settle at once, with nothing to fetch. */
  isReady(runtime: string, command?: NamedInterpreter): boolean;
  /**
   * Starts a program on a node that its placement allows, else throws ENGINE_UNAVAILABLE. `created` is called once,
   * when the unit can be found again by its handle and before any code of the bot runs; if it throws, or the host dies
   * before it returns, the bot's code never runs. Rejects with a PlatformError when the program cannot be started, with
   * MayRun when the program may run all the same.
   */
  start(spec: UnitSpec, created: (handle: UnitHandle) => void): Promise<Unit>;
  /**
   * Returns the unit of a handle that an earlier host stored: still running, or ended since (`exited` then settles
   * soon).
   */
  adopt(spec: UnitSpec, handle: UnitHandle): Promise<Unit>;
  /**
   * For a handle that adopt() refuses: true only when certainly nothing of the unit runs. False while it runs, or if
   * unknown.
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
   * Ends orphaned programs of the data folder for which the engine was made: left by a host that was killed during a
   * query, or started after the backup from which the control database was restored. `isKnown` tells whether a run is
   * known. Resolves to the ids of the ended runs.
   */
  endOrphans(isKnown: (runId: string) => boolean): Promise<string[]>;
  /** Calls the listener whenever the engine, which answered before, can no longer be reached. */
  onLost(listener: () => void): void;
  /** Calls the listener whenever the engine answers again after it could not be reached. */
  onBack(listener: () => void): void;
  /** Releases the engine's own resources; units stay as they are. */
  close(): Promise<void>;
}
