import { type NamedInterpreter, Runtime } from '../../../../contract/custom-bot.ts';
import { PlatformError } from '../../../../contract/errors.ts';
import type { ImageInfo } from '../../../../contract/host.ts';
import { errorText } from '../../../../node/system-error.ts';
import { RUNTIMES } from '../../../../runtimes/registry.ts';
import type { Progress } from '../engine.ts';
import { noneAllowed } from '../named-interpreter.ts';
import { isMissing } from './connection.ts';
import { type CheckSetting, checkImage, type ImageUse } from './image-check.ts';
import { type PullProgress, pullImage, pullText } from './image-pull.ts';

interface Pull {
  readonly done: Promise<void>;
  readonly listeners: Set<(state: PullProgress) => void>;
  last: PullProgress;
}

interface Preparing {
  readonly done: Promise<string>;
  readonly listeners: Set<Progress>;
  /** The last progress text. */
  readonly last: { text: string | null };
}

interface Found {
  readonly id: string;
  readonly size: number;
}

/** What was found out about an image holds for one use of it; that of a runtime as such has the name of the runtime. */
const keyOf = ({ runtime, image, interpreter }: ImageUse): string =>
  interpreter === null ? runtime : `${runtime} ${interpreter} ${image}`;

function goneAgain(image: string, runtime: string): PlatformError {
  return new PlatformError('ENGINE_UNAVAILABLE', `The image ${image} was fetched, and is not there.`, {
    hint: `Something else removes images of this engine, or its disk is full. It is fetched again, or now: \`platform images pull ${runtime}\`.`,
    retryAfter: 30,
  });
}

/** The images of bots: the choice for each runtime, its presence and fitness, and its pull. */
export class Images {
  readonly #setting: CheckSetting;
  readonly #chosen: Readonly<Record<string, string>>;
  readonly #named: (command: NamedInterpreter) => string | null;
  /** Ids of images that satisfy a runtime. */
  readonly #fit = new Set<string>();
  readonly #ready = new Map<string, string>();
  readonly #preparing = new Map<string, Preparing>();
  readonly #checks = new Set<Promise<void>>();
  readonly #pulls = new Map<string, Pull>();
  /** Runtimes whose image a user asked to fetch, until the pull has ended. */
  readonly #asked = new Set<Runtime>();
  /** Problem of the last failed attempt, by use. */
  readonly #problems = new Map<string, NonNullable<ImageInfo['problem']>>();

  /** `chosen`: images from the settings, by runtime. `named`: as `DockerEngineOptions.imageOfNamed`. */
  constructor(
    setting: CheckSetting,
    chosen: Readonly<Record<string, string>>,
    named: (command: NamedInterpreter) => string | null = noneAllowed,
  ) {
    this.#setting = setting;
    this.#chosen = chosen;
    this.#named = named;
  }

  /** The image name of a runtime. */
  nameOf(runtime: Runtime): string {
    const { image } = RUNTIMES.get(runtime) ?? {};
    if (image === undefined) throw new Error(`no image is known for ${runtime}`);
    return this.#chosen[runtime] ?? image;
  }

  /** Throws INTERPRETER_NOT_ALLOWED for an interpreter of a package that is not allowed. */
  isReady(runtime: string, command?: NamedInterpreter): boolean {
    return this.#ready.has(keyOf(this.#useOf(Runtime.parse(runtime), command)));
  }

  #useOf(runtime: Runtime, command?: NamedInterpreter): ImageUse {
    const named = command === undefined ? null : this.#named(command);
    return { runtime, image: named ?? this.nameOf(runtime), interpreter: command?.interpreter ?? null };
  }

  /** Forgets all results, after the engine was away or an image was removed. */
  forget(): void {
    this.#ready.clear();
  }

  /**
   * Returns the id of the image of a runtime, for a start. Fetches nothing, because the steps of a bot must not wait
   * for a pull. Throws a retryable ENGINE_UNAVAILABLE when the image is gone.
   */
  async idOf(runtime: string, command?: NamedInterpreter): Promise<string> {
    const use = this.#useOf(Runtime.parse(runtime), command);
    const ready = this.#ready.get(keyOf(use));
    if (ready !== undefined) return ready;
    const { image } = use;
    if ((await this.#find(image)) !== null) return this.#prepared(use);
    throw new PlatformError('ENGINE_UNAVAILABLE', `The image ${image} is not on this machine any more`, {
      hint: 'It is fetched again before the next try.',
      retryAfter: 1,
    });
  }

  /** Returns the id of the image of a runtime, after fetching and checking the image if needed. */
  async prepare(runtime: string, progress?: Progress, command?: NamedInterpreter): Promise<string> {
    return this.#prepared(this.#useOf(Runtime.parse(runtime), command), progress);
  }

  #prepared(use: ImageUse, progress: Progress = () => undefined): Promise<string> {
    const key = keyOf(use);
    const ready = this.#ready.get(key);
    if (ready !== undefined) return Promise.resolve(ready);
    const going = this.#preparing.get(key);
    if (going !== undefined) {
      going.listeners.add(progress);
      if (going.last.text !== null) progress(going.last.text);
      return going.done;
    }
    const listeners = new Set([progress]);
    const last: Preparing['last'] = { text: null };
    const done = this.#prepare(use, (text) => {
      last.text = text;
      for (const listener of listeners) listener(text);
    }).finally(() => this.#preparing.delete(key));
    this.#preparing.set(key, { done, listeners, last });
    return done;
  }

  /**
   * Begins to fetch the image of a runtime even if it is present, because its name may mean a newer one by now. `list`
   * shows progress and failure.
   */
  async startPull(runtime: Runtime): Promise<ImageInfo> {
    await this.#setting.connection.get();
    if (!this.#asked.has(runtime)) {
      this.#asked.add(runtime);
      this.#problems.delete(runtime);
      this.#pull(runtime)
        .catch((error: unknown) => this.#failed(runtime, error))
        .finally(() => this.#asked.delete(runtime));
    }
    return this.#describe(runtime);
  }

  async #pull(runtime: Runtime): Promise<void> {
    const image = this.nameOf(runtime);
    const there = (await this.#find(image)) !== null;
    try {
      await this.#fetch(image, runtime, () => undefined);
    } catch (error) {
      if (!there || !(error instanceof PlatformError)) throw error;
      const hint =
        'It was not updated; bots keep using the local copy. Connect this machine to the internet and try again.';
      throw new PlatformError('ENGINE_UNAVAILABLE', error.message, { hint, cause: error });
    }
    this.#ready.delete(runtime);
    await this.prepare(runtime);
  }

  #failed(key: string, error: unknown): void {
    const hint = error instanceof PlatformError ? error.hint : null;
    this.#problems.set(key, { message: errorText(error), hint });
  }

  async list(): Promise<ImageInfo[]> {
    return Promise.all(Runtime.options.map((runtime) => this.#describe(runtime)));
  }

  async #describe(runtime: Runtime): Promise<ImageInfo> {
    const image = this.nameOf(runtime);
    const found = await this.#find(image);
    return {
      runtime,
      image,
      chosen: this.#chosen[runtime] !== undefined,
      present: found !== null,
      size_bytes: found?.size ?? null,
      problem: this.#problems.get(runtime) ?? null,
      pull: this.#progressOf(runtime, image),
    };
  }

  #progressOf(runtime: Runtime, image: string): ImageInfo['pull'] {
    const pull = this.#pulls.get(image);
    if (pull !== undefined) return { text: pullText(pull.last), layers: pull.last.layers.map((one) => ({ ...one })) };
    return this.#asked.has(runtime) || this.#preparing.has(runtime) ? { text: 'looking into it', layers: [] } : null;
  }

  async #prepare(use: ImageUse, progress: Progress): Promise<string> {
    const { runtime, image } = use;
    const of = keyOf(use);
    try {
      const there = await this.#find(image);
      if (there === null) await this.#fetch(image, runtime, progress);
      const found = there ?? (await this.#find(image));
      if (found === null) throw goneAgain(image, runtime);
      const key = `${found.id} ${of}`;
      if (!this.#fit.has(key)) await this.#check(found.id, use);
      this.#fit.add(key);
      this.#ready.set(of, found.id);
      this.#problems.delete(of);
      return found.id;
    } catch (error) {
      this.#failed(of, error);
      throw error;
    }
  }

  async #check(id: string, use: ImageUse): Promise<void> {
    const check = checkImage(this.#setting, id, use);
    this.#checks.add(check);
    try {
      await check;
    } finally {
      this.#checks.delete(check);
    }
  }

  /** Resolves once no check is running: a check that loses its connection leaves its container behind. */
  async checked(): Promise<void> {
    await Promise.allSettled(this.#checks);
  }

  async #find(image: string): Promise<Found | null> {
    try {
      const { Id, Size } = await this.#setting.connection.call(({ docker }) => docker.getImage(image).inspect());
      return { id: Id, size: Size };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Runs one pull at a time for an image, shared by all callers. */
  async #fetch(image: string, runtime: Runtime, progress: Progress): Promise<void> {
    const tell = (state: PullProgress): void => progress(`Getting ${image}: ${pullText(state)}`);
    const known = this.#pulls.get(image);
    if (known !== undefined) {
      known.listeners.add(tell);
      tell(known.last);
      return known.done;
    }
    const listeners = new Set([tell]);
    const note = (state: PullProgress): void => {
      pull.last = state;
      for (const listener of listeners) listener(state);
    };
    const pull: Pull = {
      listeners,
      last: { layers: [] },
      done: pullImage(this.#setting.connection, image, runtime, (state) => note(state)).finally(() => {
        this.#pulls.delete(image);
      }),
    };
    this.#pulls.set(image, pull);
    tell(pull.last);
    return pull.done;
  }
}
