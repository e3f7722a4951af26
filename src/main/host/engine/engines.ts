import type { EngineSetting } from '../../../contract/engine-choices.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { EngineInfo } from '../../../contract/host.ts';
import { IsolationLevel, isBelow } from '../../../contract/isolation.ts';
import type { Engine, OutputFile, UnitRole } from './engine.ts';

/**
 * Error for an engine that fails now. A bot keeps its engine for good, so a passing failure must not lower its
 * isolation.
 */
function failsNow({ name, reason }: EngineInfo, fallback: Engine | undefined): PlatformError {
  const text = `Engine ${name} is on this machine and cannot be used at this moment: ${reason ?? 'it does not answer'}`;
  const instead =
    fallback === undefined
      ? ''
      : `, or deploy with options.engine "${fallback.name}", which is less isolated (${fallback.traits.summary})`;
  return new PlatformError('ENGINE_UNAVAILABLE', text, {
    hint: `Try again when it answers${instead}.`,
    retryAfter: 5,
  });
}

/** Joins the remedies to one sentence: "Start it, or leave this out." */
function sentence(ways: readonly string[]): string {
  const text = ways.map((way) => way.charAt(0).toLowerCase() + way.slice(1)).join(', or ');
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The engines of a host. A bot keeps its engine: the host never changes the engine by itself. */
export class Engines {
  readonly #byName: ReadonlyMap<string, Engine>;
  readonly #setting: EngineSetting;
  readonly #least: IsolationLevel;

  /** `setting`: the engine for bots that name none; `least`: the least isolation of an engine that is chosen for them. */
  constructor(engines: readonly Engine[], setting: EngineSetting, least: IsolationLevel = 'none') {
    this.#byName = new Map(engines.map((engine) => [engine.name, engine]));
    this.#setting = setting;
    this.#least = least;
  }

  /** Returns the engine of that name; throws ENGINE_UNAVAILABLE if this host has none. */
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

  /** Has engines tried again that isolate less than `least`, before they are refused: all of them, or the one of this name. */
  async retry(least: IsolationLevel, only?: string): Promise<void> {
    const below = this.all().filter(
      ({ name, level }) => isBelow(level, least) && (only === undefined || name === only),
    );
    await Promise.all(below.map((engine) => engine.probe()));
  }

  /** Describes every engine and its isolation. */
  probe(): Promise<EngineInfo[]> {
    return Promise.all(this.all().map((engine) => engine.probe()));
  }

  /**
   * Returns the engine for a bot that names none: the one of the setting, if it isolates enough, else the one that
   * answers and isolates most. Throws ENGINE_UNAVAILABLE when the setting names an unusable engine, and while an engine
   * that isolates more exists but fails: no less isolated engine may replace it.
   */
  async choose(): Promise<Engine> {
    await this.retry(this.#least);
    const named = this.#byName.get(this.#setting);
    if (this.#setting !== 'auto' && (named === undefined || !isBelow(named.level, this.#least)))
      return named?.level === 'none' ? named : this.#usable(this.#setting, this.#remedies([this.#setting]));
    const enough = this.all().filter(
      ({ level, isOptIn }) => !isBelow(level, this.#least) && (isOptIn !== true || this.#least !== 'none'),
    );
    for (const level of IsolationLevel.options.toReversed()) {
      const engines = enough.filter((engine) => engine.level === level);
      const [local] = engines;
      // An engine of this machine itself reports what it lacks, for each runtime.
      if (level === 'none' && local !== undefined) return local;
      const probed = await Promise.all(engines.map(async (engine) => ({ engine, info: await engine.probe() })));
      const usable = probed.find(({ info }) => info.available);
      if (usable !== undefined) return usable.engine;
      for (const { engine, info } of probed)
        if ((await engine.presence?.()) === 'away')
          throw failsNow(
            info,
            enough.find((one) => one.level === 'none'),
          );
    }
    return this.#usable(enough[0]?.name ?? this.#setting, this.#remedies(enough.map(({ name }) => name)));
  }

  /** Returns the remedies by which bots that name no engine can run, as one sentence. */
  #remedies(names: readonly string[]): string {
    const remedies = names.flatMap((name) => this.#byName.get(name)?.traits.remedy ?? []);
    const free = this.all().find(({ level }) => level === 'none');
    const less =
      free === undefined ? [] : [`let bots run on engine ${free.name}: start the host with --engine ${free.name}`];
    return sentence([...remedies, ...less]);
  }

  /**
   * Returns the reason for which bots of a runtime that name no engine cannot run here now; null when they can. A fetch
   * before the first start, such as that of an image, is no obstacle, and this method does not start it.
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

  /** Returns the engine that a bot asks for by its options; throws ENGINE_UNAVAILABLE when it cannot be used now. */
  asked(name: string): Promise<Engine> {
    const remedy = this.#byName.get(name)?.traits.remedy ?? null;
    return this.#usable(
      name,
      sentence([...(remedy === null ? [] : [remedy]), 'leave options.engine out: the host then chooses']),
    );
  }

  async #usable(name: string, hint: string): Promise<Engine> {
    const engine = this.#byName.get(name);
    const info = await engine?.probe();
    if (engine !== undefined && info?.available === true) return engine;
    const why = info === undefined ? 'this host has no such engine' : (info.reason ?? 'it does not answer');
    throw new PlatformError('ENGINE_UNAVAILABLE', `Engine ${name} cannot be used: ${why}`, { hint });
  }

  /** Returns the output files that a role may have in a run folder, whichever engine ran it; whether or not they exist. */
  outputs(runDir: string, role: UnitRole): readonly OutputFile[] {
    const files = this.all().flatMap((engine) => engine.outputs(runDir, role));
    return [...new Map(files.map((file) => [file.path, file])).values()];
  }

  /** As `Engine.endOrphans`, for all engines: a failure of one is reported and does not stop the others. */
  async endOrphans(
    isKnown: (runId: string) => boolean,
    onError: (where: string, error: unknown) => void,
  ): Promise<string[]> {
    const sweep = async (engine: Engine): Promise<string[]> => {
      try {
        return await engine.endOrphans(isKnown);
      } catch (error) {
        onError(`orphaned programs, engine ${engine.name}`, error);
        return [];
      }
    };
    return (await Promise.all(this.all().map(sweep))).flat();
  }

  /** Closes all engines; the first error is thrown after all were closed. */
  async close(): Promise<void> {
    const closed = await Promise.allSettled(this.all().map((engine) => engine.close()));
    const failed = closed.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
