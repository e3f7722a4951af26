import { PIN_EVENTS } from '../../../contract/alarm-choices.ts';
import { faultPoint } from '../../../node/fault-point.ts';
import type { AlarmStore, ChannelRow, WaitingRow } from '../control/alarm-store.ts';
import type { ChannelContext, Settings } from './channels/channel.ts';
import { SENDERS } from './channels/kinds.ts';
import type { DesktopApps } from './desktop-apps.ts';
import { type Message, messageOf } from './message.ts';
import { AddressRefused, Rejected, Revoked, Unreachable } from './send-errors.ts';

const FIRST_RETRY_MS = 5000;
const LONGEST_RETRY_MS = 3_600_000;
/** After failing for this long the host gives a message up. */
export const GIVE_UP_MS = 86_400_000;
/** More messages than this within the window become one digest. */
const PER_WINDOW = 5;
const WINDOW_MS = 60_000;
/** Most alarms of one digest. */
const PER_DIGEST = 1000;
/** Longest wait for a timer: a clock that was set, or a machine that slept, is noticed after it. */
const LOOK_MS = 30_000;

export interface DeliveryDeps {
  readonly store: AlarmStore;
  readonly desktop: Pick<DesktopApps, 'show'>;
  /** Settings of a channel; undefined if they cannot be opened here. */
  readonly open: (channel: ChannelRow) => Settings | undefined;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly startedAt: number;
  /** Tells the other channels that one was disabled. */
  readonly disabled: (channel: ChannelRow, problem: string) => void;
  readonly onError: (where: string, error: unknown) => void;
}

/** Wait before the next attempt, after `attempts` failed ones: 5 s, doubling to 1 h. */
export function retryDelay(attempts: number): number {
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(20, attempts));
}

const isOfPin = ({ event }: WaitingRow): boolean => PIN_EVENTS.some((one) => one === event);

type Outcome =
  | { readonly is: 'sent' }
  | { readonly is: 'retry'; readonly problem: string; readonly afterMs: number }
  | { readonly is: 'rejected'; readonly problem: string }
  | { readonly is: 'revoked'; readonly problem: string };

/** A step of a channel: messages to send now, or the time until which there are none. */
type Step = { readonly id: string; readonly rows: readonly WaitingRow[] } | { readonly waitUntil: number | null };

/** Which rows to send as one message, or until when none may be sent; null: nothing waits. */
type Choice = { readonly rows: readonly WaitingRow[] } | { readonly waitUntil: number | null };

/**
 * Sends what waits in the outbox, each channel by itself and in order; what is about a PIN goes first and has a limit of its own, so
 * that no flood of either keeps the other back. Before a message is sent its deliveries are stored under its
 * id, and after that as sent, so that a host that dies in between sends the same message once more under the same id.
 */
export class Delivery {
  readonly #deps: DeliveryDeps;
  readonly #busy = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #soon: NodeJS.Immediate | null = null;
  #wakeAt = Number.POSITIVE_INFINITY;
  readonly #ended = new AbortController();
  #closed = false;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  /** Looks for messages soon, after the transaction that may be open. */
  sendSoon(): void {
    if (this.#closed || this.#soon !== null) return;
    this.#soon = setImmediate(() => {
      this.#soon = null;
      faultPoint('alarm:stored');
      this.#look();
    });
  }

  /** Ends. A message on its way is cut short, and sent again by the next host under its id. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#ended.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#soon !== null) clearImmediate(this.#soon);
    await Promise.all(this.#busy.values());
  }

  /** Sends a message at once, outside of the order and of the limits. */
  async sendNow(channel: ChannelRow, message: Message): Promise<Outcome> {
    const { store, open, now, desktop } = this.#deps;
    const settings = open(channel);
    if (settings === undefined) {
      return { is: 'revoked', problem: 'Its credentials cannot be opened here: enter them again' };
    }
    try {
      const reach = { private: store.isOwner(channel.user_id) };
      const showOnDesktop: ChannelContext['showOnDesktop'] = (notice, signal) =>
        desktop.show(channel.user_id, notice, signal);
      await SENDERS[channel.kind](settings, message, { reach, now, ended: this.#ended.signal, showOnDesktop });
      return { is: 'sent' };
    } catch (error) {
      if (error instanceof Revoked) return { is: 'revoked', problem: error.message };
      if (error instanceof Rejected || error instanceof AddressRefused)
        return { is: 'rejected', problem: error.message };
      if (error instanceof Unreachable) return { is: 'retry', problem: error.message, afterMs: error.retryAfterMs };
      this.#deps.onError(`alarm channel ${channel.channel_id}`, error);
      return { is: 'retry', problem: 'Something went wrong inside the host; its log says more', afterMs: 0 };
    }
  }

  #look(): void {
    if (this.#closed) return;
    this.#wakeAt = Number.POSITIVE_INFINITY;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    try {
      for (const id of this.#deps.store.busyChannels()) {
        if (!this.#busy.has(id)) this.#begin(id);
      }
    } catch (error) {
      this.#deps.onError('messages of alarms', error);
      this.#wake(this.#deps.now() + LOOK_MS);
    }
  }

  #begin(id: string): void {
    const work = this.#work(id)
      .then(
        (next) => {
          if (next !== null) this.#wake(next);
        },
        (error: unknown) => {
          // Such as a full disk: the messages stay.
          this.#deps.onError(`alarm channel ${id}`, error);
          this.#wake(this.#deps.now() + LOOK_MS);
        },
      )
      .finally(() => this.#busy.delete(id));
    this.#busy.set(id, work);
  }

  #wake(at: number): void {
    if (this.#closed || (at >= this.#wakeAt && this.#timer !== null)) return;
    this.#wakeAt = at;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const ms = Math.min(LOOK_MS, Math.max(10, at - this.#deps.now()));
    this.#timer = setTimeout(() => this.#look(), ms);
    this.#timer.unref();
  }

  /** Sends what is due on a channel. Resolves to the time of its next look; null if nothing waits. */
  async #work(id: string): Promise<number | null> {
    while (!this.#closed) {
      const channel = this.#deps.store.channel(id);
      if (channel === null || channel.state !== 'ok') return null;
      const step = this.#next(channel);
      if ('waitUntil' in step) return step.waitUntil;
      const late = {
        now: this.#deps.now(),
        wasDown: channel.failing_since !== null,
        hostStartedAt: this.#deps.startedAt,
      };
      faultPoint('alarm:claimed');
      const outcome = await this.sendNow(channel, messageOf(step.id, step.rows, late));
      faultPoint('alarm:sent');
      if (this.#closed && outcome.is !== 'sent') return null;
      this.#settle(channel, step.rows, outcome);
      faultPoint('alarm:settled');
    }
    return null;
  }

  /** What to send next on a channel; its id is stored before it is returned. */
  #next(channel: ChannelRow): Step {
    const { store, now } = this.#deps;
    const at = now();
    // A clock that was set back must not stop a channel for longer than any wait lasts.
    const isFuture = (time: number): boolean => time > at && time <= at + GIVE_UP_MS;
    if (channel.retry_at !== null && isFuture(channel.retry_at)) return { waitUntil: channel.retry_at };
    return store.transaction((): Step => {
      const waiting = this.#allowed(store.waiting(channel.channel_id, PER_DIGEST), at);
      const due = waiting.filter((row) => row.message === null && !isFuture(row.not_before));
      const ofPin = this.#withinLimit(channel, due.filter(isOfPin), at, true);
      if ('rows' in ofPin) return this.#claim(ofPin.rows);
      const claimed = waiting.find((row) => row.message !== null)?.message;
      if (claimed != null) return { id: claimed, rows: waiting.filter((row) => row.message === claimed) };
      const other = this.#withinLimit(
        channel,
        due.filter((row) => !isOfPin(row)),
        at,
        false,
      );
      if ('rows' in other) return this.#claim(other.rows);
      const later = waiting.flatMap(({ not_before }) => (isFuture(not_before) ? [not_before] : []));
      const times = [ofPin.waitUntil, other.waitUntil, ...later].filter((time) => time !== null);
      return { waitUntil: times.length === 0 ? null : Math.min(...times) };
    });
  }

  /** What to send now of rows that are due: the oldest by itself within the limit, all at once where they are more. */
  #withinLimit({ channel_id }: ChannelRow, due: readonly WaitingRow[], at: number, ofPin: boolean): Choice {
    if (due.length === 0) return { waitUntil: null };
    const sent = this.#deps.store.sentSince(channel_id, at - WINDOW_MS, at, ofPin);
    const room = PER_WINDOW - sent.length;
    if (room <= 0) return { waitUntil: (sent[0] ?? at) + WINDOW_MS };
    return { rows: due.length <= room ? due.slice(0, 1) : due };
  }

  /** Stores the id under which these rows are sent. */
  #claim(rows: readonly WaitingRow[]): Step {
    const { store, newId } = this.#deps;
    const [first] = rows;
    const id = rows.length === 1 && first !== undefined ? first.alarm_id : newId('msg');
    for (const row of rows) store.claim(row, id);
    return { id, rows };
  }

  /** Rows without those that take back what was never told, which are dropped, or what is not told yet. */
  #allowed(rows: readonly WaitingRow[], at: number): WaitingRow[] {
    const { store } = this.#deps;
    const here = new Set(rows.map(({ alarm_id }) => alarm_id));
    return rows.filter((row) => {
      if (row.after_alarm === null || row.message !== null) return true;
      const state = store.delivery(row.after_alarm, row.channel_id)?.state;
      if (state === 'sent') return true;
      if (state === 'waiting') return here.has(row.after_alarm);
      store.endDelivery(row, 'dropped', at, 'This channel was never told that it began');
      return false;
    });
  }

  #settle(channel: ChannelRow, rows: readonly WaitingRow[], outcome: Outcome): void {
    const { store, now } = this.#deps;
    const { channel_id: id } = channel;
    const at = now();
    store.transaction(() => {
      // A person may have removed or changed the channel meanwhile.
      if (store.channel(id) === null) return;
      if (outcome.is === 'sent') {
        for (const row of rows) store.endDelivery(row, 'sent', at);
        store.channelWorked(id, at);
      } else if (outcome.is === 'rejected') {
        for (const row of rows) store.endDelivery(row, 'failed', at, outcome.problem);
        store.channelProblem(id, outcome.problem);
      } else if (outcome.is === 'revoked') {
        store.disableChannel(id, outcome.problem);
        store.endAllOf(id, 'failed', at, outcome.problem);
        this.#deps.disabled(channel, outcome.problem);
      } else {
        const wait = Math.max(retryDelay(channel.attempts), outcome.afterMs);
        store.channelFailed(id, outcome.problem, at + Math.min(GIVE_UP_MS, wait), at);
        const since = channel.failing_since ?? at;
        for (const row of store.waiting(id, PER_DIGEST)) {
          const tried = at - Math.max(since, row.not_before);
          if (tried >= GIVE_UP_MS) store.endDelivery(row, 'failed', at, `${outcome.problem}; given up after 24 h`);
        }
      }
    });
  }

  /** True while a message is on its way or is going to be tried at once. */
  get isBusy(): boolean {
    return this.#busy.size > 0 || this.#soon !== null;
  }
}
