import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../node/system-error.ts';
import { ContactBook, type Counted, readContacts } from './contacts.ts';
import { type Destination, written } from './destination.ts';
import { judge, Policy } from './policy.ts';
import { StandIns } from './stand-ins.ts';

/**
 * Most connections that one bot may have open, of programs and of plain requests together: it must not take the files of the
 * gate from all others.
 */
const MOST_OPEN = 2000;

/** What takes a place among the open connections of a bot until it closes: a socket, or the answer to a plain request. */
export interface Open {
  readonly destroyed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Path of the file with what the host lets a bot do. */
export const policyFile = (dir: string, botId: string): string => join(dir, 'policies', `${botId}.json`);

/** The host hears of a destination that cannot be reached once in this time. */
const FAILED_EVERY_MS = 60_000;
const MOST_FAILED = 200;

/** Something that was refused, or that could not be reached, as the host hears of it. */
export interface Refusal {
  readonly bot_id: string;
  readonly host: string;
  readonly port: number;
  readonly why: string;
  readonly at: number;
}

interface BotGateDeps {
  readonly dir: string;
  readonly now: () => number;
  readonly refused: (refusal: Refusal) => void;
  readonly log: (text: string) => void;
}

/** A connection that may be made. */
export interface Leave {
  readonly policy: Policy;
  readonly to: Destination;
  readonly contact: Counted;
  /** The mode refuses nothing: what the permits say is only recorded. */
  readonly isOnlyRecorded: boolean;
  readonly isTls: boolean;
  readonly mayBeLocal: boolean;
}

/** A connection that was made while the mode refused nothing. */
export interface Recorded {
  readonly leave: Leave;
  /** True once nothing more of what the program sends is looked at, in any mode. */
  readonly isJudged: () => boolean;
  readonly end: () => void;
}

/** All that the gate knows of one bot. */
export class BotGate {
  readonly botId: string;
  readonly #deps: BotGateDeps;
  readonly book: ContactBook;
  readonly #standIns: StandIns;
  #policy: Policy | null = null;
  #stamp = '';
  readonly #open = new Set<Open>();
  readonly #failedAt = new Map<string, number>();
  readonly #recorded = new Set<Recorded>();
  /** Why the permits do not allow what the mode let pass. */
  readonly #beyond = new WeakMap<Leave, string>();

  constructor(botId: string, deps: BotGateDeps) {
    this.botId = botId;
    this.#deps = deps;
    this.book = new ContactBook(deps.dir, botId, this.#known());
    this.#standIns = new StandIns(deps.dir, botId, deps.log);
  }

  #known() {
    try {
      return readContacts(this.#deps.dir, this.botId);
    } catch (error) {
      this.#deps.log(`the contacts of ${this.botId} cannot be read and begin again: ${String(error)}`);
      return [];
    }
  }

  /** What the host lets the bot do now; null where it says nothing, so that nothing may pass. */
  policy(): Policy | null {
    const file = policyFile(this.#deps.dir, this.botId);
    try {
      const { mtimeNs, ino } = statSync(file, { bigint: true });
      const stamp = `${mtimeNs} ${ino}`;
      if (stamp === this.#stamp) return this.#policy;
      this.#policy = Policy.parse(JSON.parse(readFileSync(file, 'utf8')));
      this.#stamp = stamp;
    } catch (error) {
      this.#stamp = '';
      this.#policy = null;
      if (systemErrorCode(error) !== 'ENOENT')
        this.#deps.log(`the permits of ${this.botId} cannot be read: ${String(error)}`);
    }
    return this.#policy;
  }

  /** Gives each of them a place until it closes. Returns why not, where there are too many. */
  hold(...these: readonly Open[]): string | null {
    for (const one of these) {
      if (one.destroyed) return 'the program has hung up';
      if (this.#open.has(one)) continue;
      if (this.#open.size >= MOST_OPEN) return `the bot has ${MOST_OPEN} connections open already`;
      this.#open.add(one);
      one.once('close', () => this.#open.delete(one));
    }
    return null;
  }

  /**
   * A connection that the bot asks for, before its name is resolved; a text says why it is refused. `during`: what is open for
   * it, from now until it closes.
   */
  ask(to: Destination | null, ...during: readonly Open[]): Leave | string {
    const full = this.hold(...during);
    if (full !== null) return full;
    if (to === null) return 'this is neither a name nor an address with a port';
    const policy = this.policy();
    if (policy === null) return 'the host has said nothing about the network of this bot';
    const verdict = judge(policy, to);
    const isOnlyRecorded = policy.mode !== 'enforce';
    if (!verdict.isAllowed && !isOnlyRecorded) return this.refuse(to, verdict.why);
    const contact = this.book.of(to, this.#deps.now());
    const { isTls = false, mayBeLocal = false } = verdict.isAllowed ? verdict : {};
    const leave = { policy, to, contact, isOnlyRecorded, isTls, mayBeLocal };
    if (!verdict.isAllowed) this.beyond(leave, verdict.why);
    return leave;
  }

  /** Counts a refusal and tells the host. Returns why, for the answer. */
  refuse(to: Destination, why: string): string {
    const now = this.#deps.now();
    const contact = this.book.of(to, now);
    contact.blocked += 1;
    contact.blocked_because = why;
    this.book.touched(contact, now);
    this.#deps.refused({ bot_id: this.botId, host: to.host, port: to.port, why, at: now });
    return why;
  }

  /** A connection that could not be made, once a minute for each destination; null in between. */
  failed(to: Destination, why: string): Refusal | null {
    const now = this.#deps.now();
    const key = written(to);
    if (Math.abs(now - (this.#failedAt.get(key) ?? Number.NEGATIVE_INFINITY)) < FAILED_EVERY_MS) return null;
    if (this.#failedAt.size >= MOST_FAILED) this.#failedAt.clear();
    this.#failedAt.set(key, now);
    return { bot_id: this.botId, host: to.host, port: to.port, why, at: now };
  }

  /** Counts what permits do not allow and the mode lets pass. */
  beyond(leave: Leave, why: string): void {
    const { contact } = leave;
    this.#beyond.set(leave, why);
    contact.beyond_permits += 1;
    contact.blocked_because = why;
    this.book.touched(contact, this.#deps.now());
  }

  /** Keeps a connection in mind that may have to end when the mode changes, until `during` closes. */
  remember(one: Recorded, during: Open): void {
    if (!one.leave.isOnlyRecorded || during.destroyed) return;
    this.#recorded.add(one);
    during.once('close', () => this.#recorded.delete(one));
  }

  /**
   * Ends what passed before the mode changed to `enforce`, and would not pass now. One that is allowed stays where all was looked at
   * that can be; else it ends without counting as refused.
   */
  review(): void {
    if (this.#recorded.size === 0) return;
    const policy = this.policy();
    if (policy !== null && policy.mode !== 'enforce') return;
    for (const one of this.#recorded) {
      const { leave } = one;
      const verdict = policy === null ? null : judge(policy, leave.to);
      const isSame =
        verdict?.isAllowed === true && verdict.isTls === leave.isTls && verdict.mayBeLocal === leave.mayBeLocal;
      const why = verdict?.isAllowed === false ? verdict.why : this.#beyond.get(leave);
      if (why !== undefined && verdict !== null) this.refuse(leave.to, why);
      if (why !== undefined || !isSame || !one.isJudged()) one.end();
    }
    this.#recorded.clear();
  }

  /** Counts a connection that was made. */
  made(contact: Counted): void {
    contact.connections += 1;
    this.book.touched(contact, this.#deps.now());
  }

  /** Counts bytes of a connection. */
  moved(contact: Counted, sent: number, received: number): void {
    contact.sent_bytes += sent;
    contact.received_bytes += received;
    this.book.touched(contact, this.#deps.now());
  }

  /** The address that stands for a name in the sandbox of the bot; a text that begins with `-` says why there is none. */
  standIn(to: Destination | null): string {
    const policy = this.policy();
    if (to === null || to.isAddress || policy === null) return '-this is no name that can be looked up';
    const isAllowed = [...policy.network.map(({ port }) => port), ...policy.local].some(
      (port) => judge(policy, { ...to, port }).isAllowed,
    );
    if (!isAllowed && policy.mode === 'enforce') {
      const verdict = judge(policy, { ...to, port: 443 });
      return `-${this.refuse({ ...to, port: 443 }, verdict.isAllowed ? written(to) : verdict.why)}`;
    }
    return this.#standIns.of(to.host);
  }

  /** The name for which an address stands in the sandbox of this bot; null for any other. */
  nameOf(standIn: string): string | null {
    return this.#standIns.nameOf(standIn);
  }
}
