import { mkdir } from 'node:fs/promises';
import type { TradeMode } from '../../../contract/bot.ts';
import type { JsonObject } from '../../../contract/common.ts';
import { invalid, PlatformError, type Problem } from '../../../contract/errors.ts';
import { faultPoint } from '../../../node/fault-point.ts';
import { REDACTED } from '../../../packaging/config-secrets.ts';
import type { Armings } from '../arming/armings.ts';
import type { BotRow } from '../control/bot-store.ts';
import type { Engine, Unit, UnitHandle, UnitLimits, UnitRole, UnitSpec } from '../engine/engine.ts';
import type { Engines } from '../engine/engines.ts';
import type { BotNetworks, NetworkedBot } from '../gate/bot-networks.ts';
import type { BotCode, BotCodeSource } from './bot-code.ts';
import type { Isolation } from './isolation.ts';
import type { RunTokens } from './run-tokens.ts';
import { tradeModeOf } from './trade-mode.ts';

/** Folders of an instance. */
export interface BotFolders {
  run(botId: string, runId: string): string;
}

/** The part of state storage that starting a bot needs. */
export interface StateKeeper {
  /** Removes unfinished writes; only while no program of the bot runs. */
  sweepTemp(botId: string): Promise<number>;
}

/** A bot's code with its validated config, ready to start. */
export interface Prepared {
  readonly code: BotCode;
  readonly effective: JsonObject;
  readonly secrets: readonly string[];
  /** What it trades with. */
  readonly mode: TradeMode;
}

/** What happens in the start of a program. */
export interface StartSteps {
  /** Masks the pass that a program gets for the gate, before it starts. It may have changed since the last start. */
  readonly masked: (pass: string) => Promise<void>;
  /** As in `Engine.start`. */
  readonly created: (handle: UnitHandle) => void;
}

/** Opens the secrets of a config. Throws SECRET_NOT_FOUND, or SECRETS_SEALED. */
export type OpenConfig = (
  userId: string,
  config: JsonObject,
) => { readonly config: JsonObject; readonly values: readonly string[]; readonly isLive: boolean };

/** Problems whose words quote no value of a secret. */
function withoutValues(problems: readonly Problem[], values: readonly string[]): Problem[] {
  const told = (text: string): string => values.reduce((left, value) => left.replaceAll(value, REDACTED), text);
  return problems.map((problem) => ({ ...problem, message: told(problem.message) }));
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

/**
 * BOT_CONFIG: the effective config, and for a flat request also its other keys (docs/writing-bots.md#what-a-bot-sees).
 */
export function botConfigText(bot: BotRow, effective: JsonObject): string {
  if (!bot.flat) return JSON.stringify(effective);
  const schedule = bot.schedule === null ? {} : { schedule: bot.schedule };
  const own = { name: bot.name, type: `${bot.type}/${bot.customBot}`, version: bot.version, ...schedule };
  return JSON.stringify({ ...own, ...effective });
}

/** Turns a bot's record into a spec that an engine can start. */
export class UnitSpecs {
  readonly engines: Engines;
  readonly #codes: BotCodeSource;
  readonly #folders: BotFolders;
  readonly #state: StateKeeper;
  readonly #isolation: Isolation;
  readonly #tokens: RunTokens;
  readonly #openConfig: OpenConfig;
  readonly #networks: Pick<BotNetworks, 'pass' | 'environment'>;
  readonly #armings: Pick<Armings, 'checkProgram' | 'modeOf'>;

  constructor(deps: {
    engines: Engines;
    codes: BotCodeSource;
    folders: BotFolders;
    state: StateKeeper;
    isolation: Isolation;
    tokens: RunTokens;
    openConfig: OpenConfig;
    networks: Pick<BotNetworks, 'pass' | 'environment'>;
    armings: Pick<Armings, 'checkProgram' | 'modeOf'>;
  }) {
    this.#armings = deps.armings;
    this.#networks = deps.networks;
    this.#openConfig = deps.openConfig;
    this.#isolation = deps.isolation;
    this.engines = deps.engines;
    this.#codes = deps.codes;
    this.#folders = deps.folders;
    this.#state = deps.state;
    this.#tokens = deps.tokens;
  }

  /**
   * The engine of this bot's programs. Throws ENGINE_UNAVAILABLE when the host has no such engine, ISOLATION_REQUIRED
   * when it isolates less than the host demands of this bot.
   */
  engineOf(bot: BotRow): Engine {
    const engine = this.engines.get(bot.engine);
    this.#isolation.checkStart(bot);
    return engine;
  }

  /** Has an engine that isolates too little tried again, before `engineOf` refuses it for that. */
  tryAgain({ engine }: BotRow): Promise<void> {
    return this.#isolation.retry(engine);
  }

  /** The runtime of a bot, and the interpreter that its package names. Throws CUSTOM_BOT_NOT_FOUND when its version is not there. */
  runtimeOf(bot: BotRow): Pick<UnitSpec, 'runtime' | 'command'> {
    const { runtime, command } = this.#codes.open(bot.userId, bot.customBot, bot.version);
    return { runtime, ...(command === null ? {} : { command }) };
  }

  /** True for a bot that answers on its port while it runs. One without a network cannot be reached there. */
  servesQueries(bot: BotRow): boolean {
    return bot.type === 'realtime' && bot.options.network !== 'none';
  }

  /**
   * The token that the programs of a run demand on their query port; null for bots without one. Masked before they
   * start.
   */
  queryToken(bot: BotRow, runId: string): string | null {
    return bot.type === 'realtime' ? this.#tokens.query(runId) : null;
  }

  /**
   * The secrets of a run: those of its config, its query token, and the pass of its bot for the gate, whatever holds its programs: an
   * earlier release may have given it to one that runs, and recorded nothing of that.
   */
  runSecrets(bot: BotRow, secrets: readonly string[], runId: string): readonly string[] {
    const own = [this.queryToken(bot, runId), this.#networks.pass({ botId: bot.botId, use: 'machine' })];
    return [...secrets, ...own.filter((one) => one !== null)];
  }

  /** A bot as far as its network goes. One whose version or engine is gone asks for nothing, and starts nothing. */
  networked({ botId, userId, customBot, version, engine, options }: BotRow): NetworkedBot {
    let permits: NetworkedBot['permits'] = null;
    try {
      ({ permits } = this.#codes.open(userId, customBot, version));
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
    }
    const found = this.engines.all().find(({ name }) => name === engine);
    const use = options.network === 'none' ? 'none' : (found?.networkUse ?? 'own');
    return { botId, permits, use, refusesEnforce: use !== 'none' && found?.refusesEnforce === true };
  }

  /**
   * Opens the config of a bot for a program: the only place where references to secrets become values. Throws
   * CUSTOM_BOT_NOT_FOUND, SECRET_NOT_FOUND, SECRETS_SEALED, or INVALID_CONFIG when the config does not fit its schema.
   */
  prepare(bot: BotRow): Prepared {
    const code = this.#codes.open(bot.userId, bot.customBot, bot.version);
    const { config, values, isLive } = this.#openConfig(bot.userId, bot.config);
    const { effective, problems } = code.validate(config);
    if (problems.length > 0) throw invalid('INVALID_CONFIG', withoutValues(problems, values));
    // A config without the values: what it holds beside them decides whether it holds a key.
    const unopened = values.length === 0 ? effective : code.validate(bot.config).effective;
    const mode = isLive ? this.#armings.modeOf(bot.botId) : tradeModeOf({ code, effective: unopened });
    return { code, effective, mode, secrets: [...new Set([...code.secrets(effective), ...values])] };
  }

  /**
   * What a program of this role is started with; null when this version has none. Throws NEEDS_ARMING for a bot whose live secrets
   * must enter no program: the only way by which they could.
   */
  spec(bot: BotRow, prepared: Prepared, runId: string, role: UnitRole): UnitSpec | null {
    this.#armings.checkProgram(bot);
    return this.knownSpec(bot, prepared, runId, role);
  }

  /** As `spec`, for a program that an earlier host has started: what it was given, it has. */
  knownSpec(bot: BotRow, prepared: Prepared, runId: string, role: UnitRole): UnitSpec | null {
    const { code, effective } = prepared;
    const entry = role === 'bot' ? code.botEntry : code.queryEntry;
    if (entry === null) return null;
    const text = botConfigText(bot, effective);
    const queryToken = this.queryToken(bot, runId);
    return {
      botId: bot.botId,
      runId,
      role,
      botType: bot.type,
      runtime: code.runtime,
      entry,
      ...(code.command === null ? {} : { command: code.command }),
      code: { hash: code.hash, dir: code.codeDir },
      runDir: this.#folders.run(bot.botId, runId),
      env: {
        BOT_ID: bot.botId,
        BOT_CONFIG: text,
        BOT_TYPE: bot.type,
        RUN_ID: runId,
        PLATFORM_MODE: prepared.mode,
        ID: bot.botId,
        CONFIG: text,
      },
      limits: limitsOf(bot),
      queryRun: false,
      epoch: bot.epoch,
      ...(queryToken === null ? {} : { queryToken }),
      ...(role === 'bot' ? { controlToken: this.#tokens.control(runId) } : {}),
      ...(bot.options.network === 'none' ? { network: 'none' as const } : {}),
    };
  }

  /** A run of the query program that answers one query; null when this version has none. */
  querySpec(bot: BotRow, prepared: Prepared, runId: string): UnitSpec | null {
    const spec = this.spec(bot, prepared, runId, 'query');
    if (spec === null) return null;
    // It serves no port, and waits for any question to the same bot.
    const { queryToken, ...run } = spec;
    return { ...run, queryRun: true };
  }

  /** A spec that suffices to find a program whose version no longer opens. */
  bareSpec(bot: BotRow, runId: string, role: UnitRole): UnitSpec {
    return {
      botId: bot.botId,
      runId,
      role,
      botType: bot.type,
      runtime: '',
      entry: '',
      code: { hash: '', dir: '' },
      runDir: this.#folders.run(bot.botId, runId),
      env: { BOT_ID: bot.botId, RUN_ID: runId },
      limits: {},
      queryRun: false,
      epoch: bot.epoch,
      ...(role === 'bot' ? { controlToken: this.#tokens.control(runId) } : {}),
    };
  }

  /** Removes half-written files of an earlier program; only while none of the bot's programs runs. */
  async sweepState(botId: string): Promise<void> {
    await this.#state.sweepTemp(botId);
  }

  /** Makes the folders and starts the program of a bot, with what leads it to the gate. */
  async start(engine: Engine, bot: BotRow, given: UnitSpec, { masked, created }: StartSteps): Promise<Unit> {
    await mkdir(given.runDir, { recursive: true, mode: 0o700 });
    // It also finds out whether the engine holds its programs to the gate.
    await engine.prepare(given.runtime, undefined, given.command);
    const { env, way } = await this.#networks.environment(this.networked(bot));
    if (way !== null) await masked(way.identity);
    const gatePort = way === null ? {} : { gatePort: way.port };
    const spec = { ...given, env: { ...given.env, ...env }, ...gatePort };
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
