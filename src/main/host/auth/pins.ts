import { toTimestamp, toTimestampOrNull } from '../../../contract/common.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { PinConfirmation, PinInfo } from '../../../contract/pin.ts';
import type { PinRow, PinStore } from '../control/pin-store.ts';
import { tooManyAttempts, waitAfter } from './attempts.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import type { Principal } from './principal.ts';
import { hashSecret, newToken } from './token.ts';

/** For how long a PIN that was entered counts. */
const CONFIRMED_MS = 5 * 60_000;
/**
 * For how long what needs the PIN is refused after a reset, also with another PIN: whoever holds a log-in of an owner must not get
 * there before the person who was told.
 */
const RESET_MS = 60 * 60_000;
/** Most resets of one user's PIN within that time: each is told over every channel. */
const MOST_RESETS = 5;
/** Wrong PINs in a row that are told first; then each time twice as many. One or two are a slip of the finger. */
const TOLD_FROM = 3;

/** Who asks, and the confirmation that came with the request; see CallContext. */
export interface PinCaller {
  readonly principal: Principal | null;
  readonly confirmation: { readonly token: string | null } | null;
}

interface Confirmed {
  readonly userId: string;
  /** Ends by the clock that a person may set, and by the one that nobody can. */
  readonly from: number;
  readonly steadyUntil: number;
}

interface PinsDeps {
  readonly store: PinStore;
  readonly now: () => number;
  /** Milliseconds of a clock that is never set. */
  readonly steady: () => number;
  /** Tells a user of wrong PINs over every channel that works. */
  readonly tellOfWrong: (userId: string, title: string, text: string) => void;
  /** Tells so of a change, within the transaction that is open, and throws where it cannot: no PIN changes without a word. */
  readonly tellOfChange: (userId: string, title: string, text: string) => void;
}

const IF_NOT_YOU =
  'If it was not you, end your other log-ins (Settings, Account, or `platform sessions end-others`) and change your password. `platform audit` says from where it came.';
const AFTER_RESET =
  'What needs the PIN is refused for an hour. If it was not you, end your other log-ins now (Settings, Account, or `platform sessions end-others`), and change your password after that hour. `platform audit` says from where it came.';

function pinRequired(isChosen: boolean): PlatformError {
  return isChosen
    ? new PlatformError('PIN_REQUIRED', undefined, { details: { chosen: true } })
    : new PlatformError('PIN_REQUIRED', 'This needs a PIN, and you have not chosen one yet', {
        hint: 'Choose one in Settings, Account, or with `platform pin set`.',
        details: { chosen: false },
      });
}

function tooManyResets(waitMs: number): PlatformError {
  const seconds = Math.ceil(waitMs / 1000);
  return new PlatformError('RATE_LIMITED', `This PIN was reset ${MOST_RESETS} times within an hour`, {
    hint: `Wait ${Math.ceil(seconds / 60)} minutes and try again. If you did not reset it, end your other log-ins: \`platform sessions end-others\`.`,
    retryAfter: seconds,
  });
}

/** Where what was confirmed is looked up; null for a caller who cannot confirm anything. */
function placeOf({ principal, confirmation }: PinCaller): string | null {
  if (principal === null || confirmation === null) return null;
  if (principal.method === 'session') return `session ${principal.sessionId}`;
  // Every program that may read the discovery file is the local owner: what one of them entered counts for no other.
  if (principal.method === 'local' && confirmation.token !== null)
    return hashSecret(confirmation.token).toString('hex');
  return null;
}

/**
 * PINs of users, and which log-ins have entered theirs within the last minutes. That is kept in memory alone: a host that is
 * started again asks again. Wrong PINs are stored before they are checked, so no restart makes anybody's guesses cheaper.
 */
export class Pins {
  readonly #deps: PinsDeps;
  readonly #confirmed = new Map<string, Confirmed>();
  /** Where the steady clock stood at the last reset of a user. */
  readonly #resets = new Map<string, { readonly at: number; readonly steady: number }>();
  /** When each PIN was reset within the last hour, by the steady clock. */
  readonly #resetTimes = new Map<string, readonly number[]>();

  constructor(deps: PinsDeps) {
    this.#deps = deps;
  }

  info(caller: PinCaller, userId: string): PinInfo {
    const row = this.#deps.store.get(userId);
    const until = this.#confirmedUntil(caller, userId);
    return {
      set_at: toTimestampOrNull(row?.setAt ?? null),
      confirmed_until: toTimestampOrNull(until),
      wrong: row?.wrong ?? 0,
      wait_sec: row === null ? 0 : Math.ceil(this.#waitOf(row) / 1000),
    };
  }

  /**
   * Throws PIN_REQUIRED where the user has a PIN and has not entered it within the last minutes, and PIN_RESET within an hour of a
   * reset.
   */
  checkOnceChosen(caller: PinCaller): void {
    this.#checkReset(caller.principal?.userId ?? '');
    this.checkBeforeChoice(caller);
  }

  /** As checkOnceChosen, for the choice of a PIN, which a reset does not hold up. */
  checkBeforeChoice(caller: PinCaller): void {
    if (this.#deps.store.get(caller.principal?.userId ?? '') !== null) this.#checkEntered(caller);
  }

  /** Throws PIN_REQUIRED unless a PIN was entered within the last minutes, also where none was chosen; PIN_RESET as above. */
  check(caller: PinCaller): void {
    this.#checkReset(caller.principal?.userId ?? '');
    this.#checkEntered(caller);
  }

  #checkEntered(caller: PinCaller): void {
    const userId = caller.principal?.userId ?? '';
    if (this.#confirmedUntil(caller, userId) === null) throw pinRequired(this.#deps.store.get(userId) !== null);
  }

  /** Stores a new PIN, which counts as entered. Throws PIN_REQUIRED if somebody else has changed it meanwhile. */
  async set(principal: Principal, pin: string): Promise<PinConfirmation> {
    const { store, now, tellOfChange } = this.#deps;
    const { userId } = principal;
    const before = store.get(userId);
    const hash = await hashPassword(pin);
    if (store.get(userId)?.hash !== before?.hash) throw pinRequired(true);
    const title = before === null ? 'A PIN was chosen for your account' : 'Your PIN was changed';
    store.transaction(() => {
      store.put(userId, hash, now());
      tellOfChange(userId, title, IF_NOT_YOU);
    });
    this.#forget(userId);
    return this.#confirm(principal);
  }

  /** Checks a PIN. Throws PIN_REQUIRED where there is none, WRONG_PIN, or RATE_LIMITED after too many wrong ones. */
  async confirm(principal: Principal, pin: string, from: string): Promise<PinConfirmation> {
    const { store, now } = this.#deps;
    const { userId } = principal;
    const row = store.get(userId);
    if (row === null) throw pinRequired(false);
    const wait = this.#waitOf(row);
    if (wait > 0) throw tooManyAttempts(wait);
    store.countWrong(userId, now());
    const isRight = await verifyPassword(pin, row.hash).catch((error: unknown) => {
      store.uncountWrong(userId);
      throw error;
    });
    // It may have been changed while it was checked.
    if (!isRight || store.get(userId)?.hash !== row.hash) {
      this.#tellOfWrong(userId, row.wrong + 1, from);
      throw new PlatformError('WRONG_PIN');
    }
    store.forgetWrong(userId);
    return this.#confirm(principal);
  }

  /**
   * Removes the PIN of a user, if there is one. What was entered counts no more, and what needs the PIN waits for an hour. Throws
   * RATE_LIMITED after too many within an hour.
   */
  reset(userId: string, by: string): void {
    const { store, now, steady, tellOfChange } = this.#deps;
    if (store.get(userId) === null) return;
    const times = (this.#resetTimes.get(userId) ?? []).filter((at) => steady() - at < RESET_MS);
    const [first] = times;
    if (first !== undefined && times.length >= MOST_RESETS) throw tooManyResets(RESET_MS - (steady() - first));
    store.transaction(() => {
      store.reset(userId, now());
      tellOfChange(userId, `Your PIN was reset by ${by}`, AFTER_RESET);
    });
    this.#resetTimes.set(userId, [...times, steady()]);
    this.#forget(userId);
    this.#resetWait(userId);
  }

  /** Throws PIN_RESET within an hour of a reset. */
  #checkReset(userId: string): void {
    const wait = this.#resetWait(userId);
    if (wait <= 0) return;
    const end = toTimestamp(this.#deps.now() + wait);
    throw new PlatformError('PIN_RESET', undefined, {
      hint: `What needs the PIN is refused until ${end}, also with another PIN; choose one meanwhile in Settings, Account, or with \`platform pin set\`. Stopping bots works as ever. If you did not reset it, end your other log-ins: \`platform sessions end-others\`.`,
      retryAfter: Math.ceil(wait / 1000),
    });
  }

  /** How much of the hour after a reset is left, in ms. A clock that is set while the host runs changes nothing about it. */
  #resetWait(userId: string): number {
    const { store, now, steady } = this.#deps;
    const at = store.resetAt(userId);
    if (at === null) return 0;
    let seen = this.#resets.get(userId);
    if (seen?.at !== at) {
      seen = { at, steady: steady() - Math.max(0, now() - at) };
      this.#resets.set(userId, seen);
    }
    return Math.max(0, RESET_MS - (steady() - seen.steady));
  }

  #tellOfWrong(userId: string, count: number, from: string): void {
    if (count < TOLD_FROM || !Number.isInteger(Math.log2(count / TOLD_FROM))) return;
    const text = `The last one came from ${from}. Stopping bots works as ever. ${IF_NOT_YOU}`;
    this.#deps.tellOfWrong(userId, `A wrong PIN was entered ${count} times for your account`, text);
  }

  #waitOf({ wrong, wrongAt }: PinRow): number {
    const longest = waitAfter(wrong);
    const passed = this.#deps.now() - (wrongAt ?? 0);
    // A clock that was set back makes nobody wait longer than the wait itself.
    return passed < 0 ? longest : Math.max(0, longest - passed);
  }

  #confirmedUntil(caller: PinCaller, userId: string): number | null {
    const place = placeOf(caller);
    const found = place === null ? undefined : this.#confirmed.get(place);
    if (found === undefined || found.userId !== userId) return null;
    const passed = this.#deps.now() - found.from;
    if (passed < 0 || passed >= CONFIRMED_MS || this.#deps.steady() >= found.steadyUntil) return null;
    return found.from + CONFIRMED_MS;
  }

  #confirm(principal: Principal): PinConfirmation {
    const { now, steady } = this.#deps;
    for (const [place, { steadyUntil }] of this.#confirmed) if (steadyUntil <= steady()) this.#confirmed.delete(place);
    const token = principal.method === 'local' ? newToken('pin').token : null;
    const place = placeOf({ principal, confirmation: { token } });
    if (place === null) throw new Error('a PIN was entered by a caller who can confirm nothing');
    const from = now();
    this.#confirmed.set(place, { userId: principal.userId, from, steadyUntil: steady() + CONFIRMED_MS });
    return { confirmed_until: toTimestamp(from + CONFIRMED_MS), confirmation: token };
  }

  #forget(userId: string): void {
    for (const [place, one] of this.#confirmed) if (one.userId === userId) this.#confirmed.delete(place);
  }
}
