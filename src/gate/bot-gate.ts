import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../node/system-error.ts';
import { ContactBook, type Counted, readContacts } from './contacts.ts';
import { type Destination, written } from './destination.ts';
import { judge, Policy } from './policy.ts';

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
/** The addresses that stand for names in a sandbox: 198.18.0.0/15. */
const STAND_INS = 131_070;

/** Path of the file with what the host lets a bot do. */
export const policyFile = (dir: string, botId: string): string => join(dir, 'policies', `${botId}.json`);

/** Something that was refused, or that no permit allows, as the host hears of it. */
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

/** All that the gate knows of one bot. */
export class BotGate {
  readonly botId: string;
  readonly #deps: BotGateDeps;
  readonly book: ContactBook;
  readonly #nameOf = new Map<string, string>();
  readonly #standInOf = new Map<string, string>();
  #policy: Policy | null = null;
  #stamp = '';
  readonly #open = new Set<Open>();

  constructor(botId: string, deps: BotGateDeps) {
    this.botId = botId;
    this.#deps = deps;
    this.book = new ContactBook(deps.dir, botId, this.#known());
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
    if (!verdict.isAllowed) this.beyond(contact, verdict.why);
    const { isTls = false, mayBeLocal = false } = verdict.isAllowed ? verdict : {};
    return { policy, to, contact, isOnlyRecorded, isTls, mayBeLocal };
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

  /** Counts what permits do not allow and the mode lets pass. */
  beyond(contact: Counted, why: string): void {
    contact.beyond_permits += 1;
    contact.blocked_because = why;
    this.book.touched(contact, this.#deps.now());
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
    const known = this.#standInOf.get(to.host);
    if (known !== undefined) return known;
    const isAllowed = [...policy.network.map(({ port }) => port), ...policy.local].some(
      (port) => judge(policy, { ...to, port }).isAllowed,
    );
    if (!isAllowed && policy.mode === 'enforce') {
      const verdict = judge(policy, { ...to, port: 443 });
      return `-${this.refuse({ ...to, port: 443 }, verdict.isAllowed ? written(to) : verdict.why)}`;
    }
    if (this.#nameOf.size >= STAND_INS) return '-the bot has looked up too many names';
    const at = this.#nameOf.size + 1;
    const made = `198.${18 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
    this.#standInOf.set(to.host, made);
    this.#nameOf.set(made, to.host);
    return made;
  }

  /** The name for which an address stands in the sandbox of this bot; null for any other. */
  nameOf(standIn: string): string | null {
    return this.#nameOf.get(standIn) ?? null;
  }
}
