import { PlatformError } from '../../../../contract/errors.ts';
import { errorText } from '../../../../node/system-error.ts';
import { type DockerConnection, refusalOf } from './connection.ts';

/** One layer of an image that is being fetched, in bytes; total is null until the registry has reported it. */
export interface LayerProgress {
  readonly id: string;
  /** Status in the engine's words, e.g. `Downloading`, `Pull complete`. */
  readonly status: string;
  readonly current: number;
  readonly total: number | null;
}

/** Progress of a pull. */
export interface PullProgress {
  readonly layers: readonly LayerProgress[];
}

interface Message {
  readonly id?: string;
  readonly status?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
  /** Set when the pull has failed; the answer of the engine still ends like any other. */
  readonly error?: string;
  readonly errorDetail?: { readonly message?: string };
}

const DONE = new Set(['Download complete', 'Pull complete', 'Already exists']);

/** Collects the messages of a pull. */
export class PullState implements PullProgress {
  readonly #layers = new Map<string, LayerProgress>();

  get layers(): readonly LayerProgress[] {
    return [...this.#layers.values()];
  }

  /** Takes one message of the engine; messages that concern no layer are ignored. */
  note({ id, status, progressDetail }: Message): void {
    // The first message carries the tag as its id.
    if (id === undefined || status === undefined || /^Pulling from /.test(status)) return;
    const before = this.#layers.get(id);
    const downloading = status === 'Downloading';
    const total = (downloading ? progressDetail?.total : undefined) ?? before?.total ?? null;
    const current = DONE.has(status)
      ? (total ?? 0)
      : downloading
        ? (progressDetail?.current ?? 0)
        : (before?.current ?? 0);
    this.#layers.set(id, { id, status, current, total });
  }
}

const MB = 1000 * 1000;
const mb = (bytes: number): string => (bytes / MB).toFixed(bytes < 10 * MB ? 1 : 0);

/** Returns progress in one line, e.g. `12 of 45 MB, 3 of 5 layers`. Totals grow while the registry still reports layers. */
export function pullText({ layers }: PullProgress): string {
  if (layers.length === 0) return 'asking the registry';
  const current = layers.reduce((sum, one) => sum + one.current, 0);
  const total = layers.reduce((sum, one) => sum + (one.total ?? 0), 0);
  const there = layers.filter((one) => DONE.has(one.status)).length;
  const bytes = total === 0 ? '' : `${mb(current)} of ${mb(total)} MB, `;
  return `${bytes}${there} of ${layers.length} layers`;
}

const REFUSED = /denied|unauthorized|authentication required|no basic auth credentials/i;
const UNKNOWN = /manifest unknown|not found|does not exist|invalid reference|no matching manifest/i;

/** Returns the remedy for an answer of a registry. */
function adviceFor(image: string, runtime: string, message: string): string {
  const setting = `images.${runtime} in settings.json`;
  const others =
    `build one of your own (resources/images/README.md) and name it as ${setting}; ` +
    'or deploy on an engine without images (options.engine).';
  if (REFUSED.test(message)) {
    return `Its registry lets nobody in without a log-in: \`docker login\`, then \`docker pull ${image}\`, and start the bot again; or ${others}`;
  }
  if (UNKNOWN.test(message)) {
    return `Look at the name (${setting}) and at the processor the image is made for, and restart the host; or ${others}`;
  }
  return `Connect this machine to the internet and run \`platform images pull ${runtime}\`; or ${others}`;
}

function pullFailed(image: string, runtime: string, message: string, cause: unknown): PlatformError {
  const text = `The image ${image}, in which ${runtime} bots run, could not be fetched: ${message.trim()}`;
  // These answers stay the same however often the registry is asked.
  const final = REFUSED.test(message) || UNKNOWN.test(message);
  return new PlatformError('ENGINE_UNAVAILABLE', text, {
    hint: adviceFor(image, runtime, message),
    cause,
    ...(final ? {} : { retryAfter: 60 }),
  });
}

/** Fetches an image; `progress` is called with each message. Throws ENGINE_UNAVAILABLE with the remedy. */
export async function pullImage(
  connection: DockerConnection,
  image: string,
  runtime: string,
  progress: (state: PullProgress) => void,
): Promise<void> {
  const state = new PullState();
  try {
    await connection.last(async ({ docker }) => {
      const stream = await docker.pull(image);
      await new Promise<void>((resolve, reject) => {
        let failure: Error | null = null;
        docker.modem.followProgress(
          stream,
          (error) => {
            const why = failure ?? error ?? null;
            if (why === null) resolve();
            else reject(registryError(why));
          },
          (message: Message) => {
            const said = message.errorDetail?.message ?? message.error;
            if (said !== undefined) failure ??= new Error(said);
            state.note(message);
            progress(state);
          },
        );
      });
    });
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw pullFailed(image, runtime, refusalOf(error)?.message ?? errorText(error), error);
  }
}

/** Converts an error inside a successful stream: it comes from the registry, and the engine answers. */
function registryError(error: Error): Error {
  return Object.assign(error, { statusCode: 502 });
}
