import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Contact, Contacts } from '../contract/network.ts';
import { writeFileAtomic } from '../node/atomic-write.ts';
import { errorText, systemErrorCode } from '../node/system-error.ts';
import type { Destination } from './destination.ts';

/** Most destinations of one bot that are kept apart; what comes later counts together, as OTHERS. */
const MOST = 500;
const OTHERS: Destination = { host: 'others', port: 0, isAddress: false };

/** Counts of one destination, until they are written. */
export type Counted = { -readonly [K in keyof Contact]: Contact[K] };

/** Path of the file in which the contacts of a bot are kept. */
export const contactsFile = (dir: string, botId: string): string => join(dir, 'contacts', `${botId}.json`);

/** The contacts of a bot as they were written last; empty for one that spoke to nobody. Throws for a damaged file. */
export function readContacts(dir: string, botId: string): Contact[] {
  let text: string;
  try {
    text = readFileSync(contactsFile(dir, botId), 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
  return Contacts.parse(JSON.parse(text)).items;
}

/** To whom one bot spoke, over all lives of the gate. */
export class ContactBook {
  readonly #dir: string;
  readonly #botId: string;
  readonly #byPlace: Map<string, Counted>;
  /** Busy connections are noted many thousand times a second. */
  #second = { at: Number.NEGATIVE_INFINITY, text: '' };
  #isDirty = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(dir: string, botId: string, known: readonly Contact[]) {
    this.#dir = dir;
    this.#botId = botId;
    this.#byPlace = new Map(known.map((contact) => [`${contact.host} ${contact.port}`, { ...contact }]));
  }

  /** The counts of a destination, which the caller changes and then calls `touched`. */
  of({ host, port }: Destination, now: number): Counted {
    const key = `${host} ${port}`;
    const known = this.#byPlace.get(key);
    if (known !== undefined) return known;
    if (this.#byPlace.size >= MOST && host !== OTHERS.host) return this.of(OTHERS, now);
    const at = new Date(now).toISOString();
    const none = { connections: 0, sent_bytes: 0, received_bytes: 0, blocked: 0, beyond_permits: 0 };
    const made: Counted = { host, port, ...none, blocked_because: null, first_at: at, last_at: at };
    this.#byPlace.set(key, made);
    return made;
  }

  /** Notes that a destination was used, to the second. */
  touched(contact: Counted, now: number): void {
    if (Math.abs(now - this.#second.at) >= 1000) this.#second = { at: now, text: new Date(now).toISOString() };
    contact.last_at = this.#second.text;
    this.#isDirty = true;
  }

  /** Writes what has changed. A failure is told, and tried again with the next call. */
  write(onError: (text: string) => void): Promise<void> {
    if (!this.#isDirty) return this.#writing;
    this.#isDirty = false;
    this.#writing = this.#writing
      .then(() =>
        writeFileAtomic(contactsFile(this.#dir, this.#botId), JSON.stringify({ items: [...this.#byPlace.values()] })),
      )
      .catch((error: unknown) => {
        this.#isDirty = true;
        onError(`contacts of ${this.#botId}: ${errorText(error)}`);
      });
    return this.#writing;
  }
}
