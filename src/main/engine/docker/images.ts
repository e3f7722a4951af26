import { Runtime } from '../../../contract/custom-bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { ImageInfo } from '../../../contract/host.ts';
import { errorText } from '../../base/system-error.ts';
import type { Progress } from '../engine.ts';
import { isMissing } from './connection.ts';
import { type CheckSetting, checkImage } from './image-check.ts';
import { type PullProgress, pullImage, pullText } from './image-pull.ts';

/** The images of wire.md section 2. */
export const DEFAULT_IMAGES: Readonly<Record<Runtime, string>> = {
  python311: 'python:3.11-slim-bookworm',
  nodejs20: 'node:20-bookworm-slim',
  nodejs22: 'node:22-bookworm-slim',
  nodejs24: 'node:24-bookworm-slim',
  gcc13: 'debian:trixie-slim',
  'rust-stable': 'debian:trixie-slim',
  ghc96: 'debian:trixie-slim',
  scala3: 'eclipse-temurin:21-jre',
  java21: 'eclipse-temurin:21-jre',
  dotnet8: 'mcr.microsoft.com/dotnet/runtime:8.0',
};

interface Pull {
  readonly done: Promise<void>;
  readonly listeners: Set<(state: PullProgress) => void>;
  last: PullProgress;
}

interface Preparing {
  readonly done: Promise<string>;
  readonly listeners: Set<Progress>;
  /** What was said last. */
  readonly last: { text: string | null };
}

interface Found {
  readonly id: string;
  readonly size: number;
}

function goneAgain(image: string, runtime: string): PlatformError {
  return new PlatformError('ENGINE_UNAVAILABLE', `The image ${image} was fetched, and is not there.`, {
    hint: `Something else removes images of this engine, or its disk is full. It is fetched again, or now: \`platform images pull ${runtime}\`.`,
    retryAfter: 30,
  });
}

/** The images in which bots run: which one a runtime has, whether it is there and fit, and fetching it. */
export class Images {
  readonly #setting: CheckSetting;
  readonly #chosen: Readonly<Record<string, string>>;
  /** Images by id that have what a runtime needs. */
  readonly #fit = new Set<string>();
  readonly #ready = new Map<string, string>();
  readonly #preparing = new Map<string, Preparing>();
  readonly #pulls = new Map<string, Pull>();
  /** Runtimes whose image somebody had fetched, until all of that is done. */
  readonly #asked = new Set<Runtime>();
  /** Why the last attempt for a runtime failed. */
  readonly #problems = new Map<string, NonNullable<ImageInfo['problem']>>();

  /** `chosen`: images from the settings, by runtime. */
  constructor(setting: CheckSetting, chosen: Readonly<Record<string, string>>) {
    this.#setting = setting;
    this.#chosen = chosen;
  }

  /** The image of a runtime, as people name it. */
  nameOf(runtime: Runtime): string {
    return this.#chosen[runtime] ?? DEFAULT_IMAGES[runtime];
  }

  isReady(runtime: string): boolean {
    return this.#ready.has(runtime);
  }

  /** Everything known may be otherwise: the engine was away, or an image was removed. */
  forget(): void {
    this.#ready.clear();
  }

  /**
   * The id of the image of a runtime, for a start: nothing is fetched here, because the steps of a bot must not wait for
   * that. Throws ENGINE_UNAVAILABLE, to be tried again, when it is not there any more.
   */
  async idOf(runtime: string): Promise<string> {
    const ready = this.#ready.get(runtime);
    if (ready !== undefined) return ready;
    const image = this.nameOf(Runtime.parse(runtime));
    if ((await this.#find(image)) !== null) return this.prepare(runtime);
    throw new PlatformError('ENGINE_UNAVAILABLE', `The image ${image} is not on this machine any more`, {
      hint: 'It is fetched again before the next try.',
      retryAfter: 1,
    });
  }

  /** The id of the image of a runtime, fetched and checked first where that was not done yet. */
  prepare(runtime: string, progress: Progress = () => undefined): Promise<string> {
    const ready = this.#ready.get(runtime);
    if (ready !== undefined) return Promise.resolve(ready);
    const going = this.#preparing.get(runtime);
    if (going !== undefined) {
      going.listeners.add(progress);
      if (going.last.text !== null) progress(going.last.text);
      return going.done;
    }
    const listeners = new Set([progress]);
    const last: Preparing['last'] = { text: null };
    const done = this.#prepare(Runtime.parse(runtime), (text) => {
      last.text = text;
      for (const listener of listeners) listener(text);
    }).finally(() => this.#preparing.delete(runtime));
    this.#preparing.set(runtime, { done, listeners, last });
    return done;
  }

  /**
   * Begins to fetch the image of a runtime, also when there is one already: its name may mean a newer one by now. How it
   * goes on, and why it failed, is told by `list`.
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
        'It was not renewed: bots go on in the one that is here. Connect this machine to the internet and try it again.';
      throw new PlatformError('ENGINE_UNAVAILABLE', error.message, { hint, cause: error });
    }
    this.#ready.delete(runtime);
    await this.prepare(runtime);
  }

  #failed(runtime: Runtime, error: unknown): void {
    const hint = error instanceof PlatformError ? error.hint : null;
    this.#problems.set(runtime, { message: errorText(error), hint });
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

  async #prepare(runtime: Runtime, progress: Progress): Promise<string> {
    const image = this.nameOf(runtime);
    try {
      const there = await this.#find(image);
      if (there === null) await this.#fetch(image, runtime, progress);
      const found = there ?? (await this.#find(image));
      if (found === null) throw goneAgain(image, runtime);
      const key = `${found.id} ${runtime}`;
      if (!this.#fit.has(key)) await checkImage(this.#setting, found.id, runtime, image);
      this.#fit.add(key);
      this.#ready.set(runtime, found.id);
      this.#problems.delete(runtime);
      return found.id;
    } catch (error) {
      this.#failed(runtime, error);
      throw error;
    }
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

  /** One pull at a time for an image, whoever asks for it. */
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
