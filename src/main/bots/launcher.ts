import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../contract/common.ts';
import { invalid } from '../../contract/errors.ts';
import { faultPoint } from '../base/fault-point.ts';
import type { Engine, Unit, UnitHandle, UnitLimits, UnitRole, UnitSpec } from '../engine/engine.ts';
import type { Engines } from '../engine/engines.ts';
import type { BotRow } from '../store/bot-store.ts';
import type { BotCode, BotCodeSource } from './bot-code.ts';

/** Folders of an instance. */
export interface BotFolders {
  state(botId: string): string;
  run(botId: string, runId: string): string;
}

/** Persisted state, as far as starting a bot is concerned. */
export interface StateKeeper {
  /** Removes unfinished writes; only while no program of the bot runs. */
  sweepTemp(botId: string): Promise<number>;
}

/** A bot's code with its config checked: ready to be started. */
export interface Prepared {
  readonly code: BotCode;
  readonly effective: JsonObject;
  readonly secrets: readonly string[];
}

function limitsOf(bot: BotRow): UnitLimits {
  const { memory_mb, max_processes, max_open_files, cpus, tmp_mb } = bot.options;
  return {
    ...(memory_mb === undefined ? {} : { memoryMb: memory_mb }),
    ...(max_processes === undefined ? {} : { processes: max_processes }),
    ...(max_open_files === undefined ? {} : { openFiles: max_open_files }),
    ...(cpus === undefined ? {} : { cpus }),
    ...(tmp_mb === undefined ? {} : { temporaryMb: tmp_mb }),
  };
}

/** BOT_CONFIG: the effective config, and for a flat request also what stood beside it (wire.md section 4). */
export function botConfigText(bot: BotRow, effective: JsonObject): string {
  if (!bot.flat) return JSON.stringify(effective);
  const schedule = bot.schedule === null ? {} : { schedule: bot.schedule };
  const own = { name: bot.name, type: `${bot.type}/${bot.customBot}`, version: bot.version, ...schedule };
  return JSON.stringify({ ...own, ...effective });
}

/** Turns a bot's record into something an engine can start. */
export class Launcher {
  readonly engines: Engines;
  readonly #codes: BotCodeSource;
  readonly #folders: BotFolders;
  readonly #state: StateKeeper;

  constructor(deps: { engines: Engines; codes: BotCodeSource; folders: BotFolders; state: StateKeeper }) {
    this.engines = deps.engines;
    this.#codes = deps.codes;
    this.#folders = deps.folders;
    this.#state = deps.state;
  }

  /** What runs this bot; throws ENGINE_UNAVAILABLE when the host has no such engine. */
  engineOf(bot: BotRow): Engine {
    return this.engines.get(bot.engine);
  }

  /** Throws CUSTOM_BOT_NOT_FOUND when the bot's version is not there. */
  runtimeOf(bot: BotRow): string {
    return this.#codes.open(bot.userId, bot.customBot, bot.version).runtime;
  }

  /** True for a bot that is asked on its port while it runs. One without a network cannot be reached there. */
  servesQueries(bot: BotRow): boolean {
    return bot.type === 'realtime' && bot.options.network !== 'none';
  }

  /** Throws CUSTOM_BOT_NOT_FOUND, or INVALID_CONFIG when the stored config does not fit its schema. */
  prepare(bot: BotRow): Prepared {
    const code = this.#codes.open(bot.userId, bot.customBot, bot.version);
    const { effective, problems } = code.validate(bot.config);
    if (problems.length > 0) throw invalid('INVALID_CONFIG', problems);
    return { code, effective, secrets: code.secrets(effective) };
  }

  /** Null when this version has no program for the role. */
  spec(bot: BotRow, prepared: Prepared, runId: string, role: UnitRole): UnitSpec | null {
    const { code, effective } = prepared;
    const entry = role === 'bot' ? code.botEntry : code.queryEntry;
    if (entry === null) return null;
    const text = botConfigText(bot, effective);
    return {
      botId: bot.botId,
      runId,
      role,
      botType: bot.type,
      runtime: code.runtime,
      entry,
      codeDir: code.codeDir,
      stateDir: this.#folders.state(bot.botId),
      runDir: this.#folders.run(bot.botId, runId),
      env: { BOT_ID: bot.botId, BOT_CONFIG: text, BOT_TYPE: bot.type, RUN_ID: runId, ID: bot.botId, CONFIG: text },
      limits: limitsOf(bot),
      queryRun: false,
      ...(bot.options.network === 'none' ? { network: 'none' as const } : {}),
    };
  }

  /** A run of the query program that answers one query; null when this version has none. */
  querySpec(bot: BotRow, prepared: Prepared, runId: string): UnitSpec | null {
    const spec = this.spec(bot, prepared, runId, 'query');
    return spec === null ? null : { ...spec, queryRun: true };
  }

  /** Enough to find a program again whose version can no longer be opened. */
  bareSpec(bot: BotRow, runId: string, role: UnitRole): UnitSpec {
    return {
      botId: bot.botId,
      runId,
      role,
      botType: bot.type,
      runtime: '',
      entry: '',
      codeDir: '',
      stateDir: this.#folders.state(bot.botId),
      runDir: this.#folders.run(bot.botId, runId),
      env: { BOT_ID: bot.botId, RUN_ID: runId },
      limits: {},
      queryRun: false,
    };
  }

  /** Removes what an earlier program of a bot left half written; only while none of its programs runs. */
  async sweepState(botId: string): Promise<void> {
    await this.#state.sweepTemp(botId);
  }

  /** Makes the folders and starts the program. */
  async start(engine: Engine, spec: UnitSpec, created: (handle: UnitHandle) => void): Promise<Unit> {
    await mkdir(spec.runDir, { recursive: true, mode: 0o700 });
    await mkdir(join(spec.stateDir, '.platform'), { recursive: true, mode: 0o700 });
    await engine.prepare(spec.runtime);
    faultPoint('start:decided');
    const unit = await engine.start(spec, (handle) => {
      faultPoint('start:created');
      created(handle);
      faultPoint('start:known');
    });
    faultPoint('start:running');
    return unit;
  }
}
