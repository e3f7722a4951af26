import type { AlarmWatch } from '../../../contract/alarms.ts';
import { toTimestampOrNull } from '../../../contract/common.ts';
import { invalid } from '../../../contract/errors.ts';
import type { AlarmStore } from '../control/alarm-store.ts';
import { WATCH_RECORD } from '../vault/seal-stored.ts';
import type { SecretBox } from '../vault/secret-box.ts';
import { send } from './request.ts';

const USUAL_MS = 60_000;

interface DeadManDeps {
  readonly store: AlarmStore;
  readonly box: SecretBox;
  readonly now: () => number;
  /** Enabled bots that need a person. */
  readonly botsInNeed: () => number;
  readonly onError: (where: string, error: unknown) => void;
}

/**
 * Calls an address while the host is well. A service there raises an alarm when the calls stop, because nothing on a machine can
 * tell that the machine is gone.
 */
export class DeadMan {
  readonly #deps: DeadManDeps;
  #timer: NodeJS.Timeout | null = null;
  #call: Promise<void> = Promise.resolve();
  readonly #ended = new AbortController();
  #closed = false;

  constructor(deps: DeadManDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#next(0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#ended.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#call;
  }

  info(): AlarmWatch {
    const row = this.#deps.store.watch();
    return {
      set: row !== null,
      target: row?.target ?? null,
      every_sec: (row?.every_ms ?? USUAL_MS) / 1000,
      all_bots: row?.all_bots === 1,
      last_at: toTimestampOrNull(row?.last_at ?? null),
      problem: row?.problem ?? null,
    };
  }

  /** Throws INVALID_REQUEST for anything but an address of HTTP. */
  set({
    url,
    every_sec,
    all_bots,
  }: {
    url: string | null;
    every_sec?: number | undefined;
    all_bots?: boolean | undefined;
  }): AlarmWatch {
    const { store, box } = this.#deps;
    if (url === null) store.removeWatch();
    else {
      const parsed = URL.canParse(url) ? new URL(url) : null;
      if (parsed === null || !['http:', 'https:'].includes(parsed.protocol) || parsed.username !== '') {
        const message = 'is no address that begins with https:// or http:// and holds no user name';
        throw invalid('INVALID_REQUEST', [{ path: 'url', message }]);
      }
      const every_ms = (every_sec ?? USUAL_MS / 1000) * 1000;
      store.setWatch({
        sealed: box.seal(WATCH_RECORD, url),
        target: parsed.host,
        every_ms,
        all_bots: all_bots === true ? 1 : 0,
      });
    }
    if (this.#timer !== null) this.#next(0);
    return this.info();
  }

  #next(ms: number): void {
    if (this.#closed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#call = this.#look();
    }, ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { store, onError } = this.#deps;
    let next = USUAL_MS;
    try {
      const row = store.watch();
      if (row === null) return;
      next = row.every_ms;
      const problem = await this.#ping(row.sealed, row.all_bots === 1);
      if (this.#closed) return;
      // Another address may have taken its place meanwhile.
      if (store.watch()?.sealed === row.sealed) store.watchCalled(problem === null ? this.#deps.now() : null, problem);
    } catch (error) {
      onError('the call to who watches the host', error);
    } finally {
      this.#next(next);
    }
  }

  /** Why the call was not made or not answered; null if it was. */
  async #ping(sealed: string, isOfBots: boolean): Promise<string | null> {
    const { box, botsInNeed, now } = this.#deps;
    const url = box.open(WATCH_RECORD, sealed);
    if (url === undefined) return 'Its address cannot be opened here: set it again';
    const inNeed = isOfBots ? botsInNeed() : 0;
    if (inNeed > 0) return `Not called, because ${inNeed} ${inNeed === 1 ? 'bot needs' : 'bots need'} you`;
    try {
      const { status } = await send(
        { url, method: 'GET' },
        { reach: { private: true }, now, ended: this.#ended.signal },
      );
      return status >= 200 && status < 300 ? null : `It answered with status ${status}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
