import type { BotEvent } from '../../contract/bot.ts';
import type { KnownBot } from './bot-watch.ts';

/** Text of a notification, and the dashboard address that a click opens. */
export interface Notice {
  readonly title: string;
  readonly body: string;
  readonly place: string;
}

/** A bot that keeps failing causes one notification within this time. */
const QUIET_MS = 10 * 60_000;
/** Failures beyond this many in one window of time become one notice. */
const MOST_IN_BURST = 3;
const BURST_MS = 10_000;
const NONE: ReadonlySet<string> = new Set();

/** The bot's program has failed with this change; not that it waits, is prepared or was stopped. */
export function isFailure({ kind, status, reason }: BotEvent): boolean {
  if (reason === null || (kind !== 'run' && kind !== 'status')) return false;
  return status === 'failed' || status === 'backing_off' || (kind === 'run' && status === 'scheduled');
}

/** Decides which failures become notifications, and with which text. Each call passes the time, in ms. */
export class FailureNotices {
  readonly #toldAt = new Map<string, number>();
  #burst: { readonly from: number; count: number } = { from: Number.NEGATIVE_INFINITY, count: 0 };

  /** The notice for a change; null where there is nothing to tell, also of a bot that the person has muted. */
  of(event: BotEvent, bot: KnownBot | null, now: number, muted: ReadonlySet<string> = NONE): Notice | null {
    if (event.kind === 'deleted') this.#toldAt.delete(event.bot_id);
    if (!isFailure(event) || muted.has(event.bot_id)) return null;
    const last = this.#toldAt.get(event.bot_id);
    if (last !== undefined && now - last < QUIET_MS) return null;
    this.#toldAt.set(event.bot_id, now);
    if (now - this.#burst.from > BURST_MS) this.#burst = { from: now, count: 0 };
    this.#burst.count += 1;
    if (this.#burst.count === MOST_IN_BURST + 1) {
      return { title: 'More bots failed', body: 'The fleet shows which ones, and why.', place: '/' };
    }
    if (this.#burst.count > MOST_IN_BURST) return null;
    const name = bot?.name ?? event.bot_id;
    return { title: `${name} failed`, body: event.reason?.message ?? '', place: `/bots/${event.bot_id}` };
  }
}

/**
 * Text as it may stand in a notification. Those of Linux read markup, where a bot's words could become a link that no rule
 * of the app has seen (Desktop Notifications Specification, "Markup").
 */
export function noticeText(text: string, platform: NodeJS.Platform): string {
  return platform === 'linux' ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text;
}
