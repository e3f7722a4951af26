import type { DesktopNotice } from '../../contract/alarms.ts';
import { errorText } from '../../node/system-error.ts';
import type { Notice } from './failure-notices.ts';
import { callHost, followStream, type HostAddress } from './host-client.ts';

const AGAIN_MS = 1000;
/** Ids that are remembered, so that a notice that the host sends again is shown once. */
const MOST_KNOWN = 1000;

interface AlarmNoticesParts {
  /** Shows a notification; false if the person wants none. */
  show(notice: Notice): boolean;
  wait(ms: number, signal: AbortSignal): Promise<unknown>;
  onError(where: string, error: unknown): void;
}

/** Shows the alarms that the host sends to the desktop, for as long as there is a host, and tells it that they were shown. */
export class AlarmNotices {
  readonly #parts: AlarmNoticesParts;
  readonly #shown = new Set<string>();
  #host: HostAddress | null = null;
  #over = new AbortController();

  constructor(parts: AlarmNoticesParts) {
    this.#parts = parts;
  }

  /** Follows this host from now on; null for none. */
  follow(host: HostAddress | null): void {
    if (host?.url === this.#host?.url && host?.token === this.#host?.token) return;
    this.#over.abort();
    this.#over = new AbortController();
    this.#host = host;
    if (host !== null) void this.#run(host, this.#over.signal);
  }

  /** True if alarms reach this desktop: then they tell of failures, by the rules of the person. */
  async areOn(host: HostAddress): Promise<boolean> {
    try {
      const { items } = await callHost(host, 'alarms.channels', {});
      return items.some(({ kind, state }) => kind === 'desktop' && state === 'ok');
    } catch (error) {
      // Better told twice than not at all.
      this.#parts.onError('alarm channels', error);
      return false;
    }
  }

  async #run(host: HostAddress, signal: AbortSignal): Promise<void> {
    let isTold = false;
    while (!signal.aborted) {
      try {
        await followStream(host, 'alarms.desktop', '', signal, {
          onOpen: () => {
            isTold = false;
          },
          onEvent: (notice) => void this.#take(host, notice),
        });
      } catch (error) {
        if (signal.aborted) return;
        if (!isTold) this.#parts.onError('alarms for the desktop', new Error(errorText(error)));
        isTold = true;
      }
      if (!signal.aborted) await this.#parts.wait(AGAIN_MS, signal);
    }
  }

  async #take(host: HostAddress, { id, title, text, bot_id }: DesktopNotice): Promise<void> {
    const place = bot_id === null ? '/settings/alarms' : `/bots/${bot_id}`;
    const shown = this.#shown.has(id) || this.#parts.show({ title, body: text, place });
    if (shown) this.#shown.add(id);
    const [oldest] = this.#shown;
    if (this.#shown.size > MOST_KNOWN && oldest !== undefined) this.#shown.delete(oldest);
    try {
      await callHost(host, 'alarms.shown', { id, shown });
    } catch (error) {
      // The host sends it again under the same id.
      this.#parts.onError('an alarm that was shown', error);
    }
  }
}
