import { ENGINE_OF, type EngineSetting } from '../../../contract/engine-choices.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { EngineInfo } from '../../../contract/host.ts';
import type { Engine, OutputFile, UnitRole } from './engine.ts';

/** The engine whose isolation is the stronger one: what `auto` takes where it can. */
const PREFERRED = ENGINE_OF.container;
const FALLBACK = ENGINE_OF.none;

/** A bot keeps the engine that it is given: what passes must not decide how far it is isolated for good. */
function failsNow({ name, reason }: EngineInfo): PlatformError {
  const text = `Engine ${name} is on this machine and cannot be used at this moment: ${reason ?? 'it does not answer'}`;
  return new PlatformError('ENGINE_UNAVAILABLE', text, {
    hint: `Try again when it answers, or deploy with options.engine "${FALLBACK}" to run the bot as a local process, which is less isolated.`,
    retryAfter: 5,
  });
}

/** The engines of a host. A bot keeps its engine: the host never changes it by itself. */
export class Engines {
  readonly #byName: ReadonlyMap<string, Engine>;
  readonly #setting: EngineSetting;

  constructor(engines: readonly Engine[], setting: EngineSetting) {
    this.#byName = new Map(engines.map((engine) => [engine.name, engine]));
    this.#setting = setting;
  }

  /** Throws ENGINE_UNAVAILABLE for a name that no engine of this host has. */
  get(name: string): Engine {
    const engine = this.#byName.get(name);
    if (engine !== undefined) return engine;
    throw new PlatformError('ENGINE_UNAVAILABLE', `This host has no engine "${name}"`, {
      hint: `It has ${[...this.#byName.keys()].join(', ')}. Change options.engine of the bot to one of them.`,
    });
  }

  all(): readonly Engine[] {
    return [...this.#byName.values()];
  }

  /** Describes every engine and how far it isolates. */
  probe(): Promise<EngineInfo[]> {
    return Promise.all(this.all().map((engine) => engine.probe()));
  }

  /**
   * The engine for a bot that names none, by the setting `engine` of the host. Throws ENGINE_UNAVAILABLE when the
   * setting names an unusable one, and with `auto` while one exists but fails: nothing less isolated may replace it.
   */
  async choose(): Promise<Engine> {
    const hint = `Start Docker, or let bots run as local processes: start the host with --engine ${FALLBACK}.`;
    if (this.#setting !== 'auto')
      return this.#setting === FALLBACK ? this.get(FALLBACK) : this.#usable(this.#setting, hint);
    const preferred = this.#byName.get(PREFERRED);
    const info = await preferred?.probe();
    if (preferred === undefined || info === undefined) return this.get(FALLBACK);
    if (info.available) return preferred;
    if ((await preferred.presence?.()) === 'away') throw failsNow(info);
    return this.get(FALLBACK);
  }

  /**
   * Why bots of a runtime that ask for no engine cannot run here now; null when they can. What an engine fetches before
   * the first start, such as an image, is no obstacle and is not fetched for this.
   */
  async obstacle(runtime: string): Promise<{ readonly message: string; readonly hint: string | null } | null> {
    try {
      const engine = await this.choose();
      if (engine.isReady(runtime)) await engine.prepare(runtime);
      return null;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return { message: error.message, hint: error.hint };
    }
  }

  /** The engine that a bot asks for by its options; throws ENGINE_UNAVAILABLE when it cannot be used now. */
  asked(name: string): Promise<Engine> {
    const start = name === PREFERRED ? 'start Docker, or ' : '';
    return this.#usable(name, `To go on, ${start}leave options.engine out: the host then chooses.`);
  }

  async #usable(name: string, hint: string): Promise<Engine> {
    const engine = this.#byName.get(name);
    const info = await engine?.probe();
    if (engine !== undefined && info?.available === true) return engine;
    const why = info === undefined ? 'this host has no such engine' : (info.reason ?? 'it does not answer');
    throw new PlatformError('ENGINE_UNAVAILABLE', `Engine ${name} cannot be used: ${why}`, { hint });
  }

  /** The output files that a role may have in a run folder, whichever engine ran it; whether or not they are there. */
  outputs(runDir: string, role: UnitRole): readonly OutputFile[] {
    const files = this.all().flatMap((engine) => engine.outputs(runDir, role));
    return [...new Map(files.map((file) => [file.path, file])).values()];
  }

  /** As `Engine.endOrphans`, for all engines: a failure of one is reported and does not stop the others. */
  async endOrphans(
    botsDir: string,
    isKnown: (runId: string) => boolean,
    onError: (where: string, error: unknown) => void,
  ): Promise<string[]> {
    const sweep = async (engine: Engine): Promise<string[]> => {
      try {
        return await engine.endOrphans(botsDir, isKnown);
      } catch (error) {
        onError(`orphaned programs, engine ${engine.name}`, error);
        return [];
      }
    };
    return (await Promise.all(this.all().map(sweep))).flat();
  }

  /** Lets go of what the engines hold; the first error is thrown after all were closed. */
  async close(): Promise<void> {
    const closed = await Promise.allSettled(this.all().map((engine) => engine.close()));
    const failed = closed.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
