import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { isUnwritable } from '../../../node/storage-error.ts';
import { isJsonObject } from '../../../shared/json.ts';

/** Subject of each kind of wish, by the name of the kind in a record. */
const ABOUT = { stop: 'bot', hold: 'bot', trash: 'bot', delete: 'bot', revoke: 'key', end: 'session' } as const;
type WishKind = keyof typeof ABOUT;

const isKind = (value: unknown): value is WishKind => typeof value === 'string' && Object.hasOwn(ABOUT, value);

/**
 * A change that a full disk kept out of the control database: a bot is to stop, to be held, to go into the trash or to be removed, a key to be revoked, a
 * session to end.
 */
export interface Wish {
  readonly wish: WishKind;
  /** Milliseconds since the epoch. A row that was changed later overrides the wish. */
  readonly at: number;
  /** Of a hold: the guard that fired; none for a panic. */
  readonly guard?: string;
  /** Why the guard fired. Only the host that judged it knows, because a record has no room for it. */
  readonly message?: string;
}

/** A record fits into one sector, so that a disk writes it whole or not at all. */
const SLOT_BYTES = 128;
const SLOTS = 4096;

function readSlot(text: string): readonly [string, Wish] | null {
  if (text.trim() === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A crash cut the record off before its caller had an answer.
    return null;
  }
  if (!isJsonObject(value)) return null;
  const { wish, at, guard } = value;
  if (typeof at !== 'number' || !isKind(wish)) return null;
  const id = value[ABOUT[wish]];
  return typeof id === 'string' ? [id, { wish, at, ...(typeof guard === 'string' ? { guard } : {}) }] : null;
}

/**
 * Wishes that must be kept while the disk is full. They are stored in a file of fixed size whose space is reserved in advance,
 * one slot for each bot, key or session, so that keeping a wish needs no more space and nothing else on the disk can take the
 * space away.
 */
export class Wishes {
  readonly #fd: number;
  readonly #slots: (string | null)[] = [];
  readonly #known = new Map<string, Wish>();
  /** Ids of wishes that are not on the disk yet. */
  readonly #unstored = new Set<string>();

  /**
   * Opens the file and reserves its space; on a disk that is already full, the file gets as many slots as there is
   * space for.
   */
  constructor(file: string) {
    this.#fd = openSync(file, 'a+', 0o600);
    closeSync(this.#fd);
    this.#fd = openSync(file, 'r+');
    this.#extend();
    const { size } = fstatSync(this.#fd);
    const bytes = Buffer.alloc(size);
    readSync(this.#fd, bytes, 0, size, 0);
    for (let from = 0; from + SLOT_BYTES <= size; from += SLOT_BYTES) {
      const found = readSlot(bytes.toString('utf8', from, from + SLOT_BYTES));
      this.#slots.push(found?.[0] ?? null);
      if (found !== null) this.#known.set(...found);
    }
  }

  get(id: string): Wish | undefined {
    return this.#known.get(id);
  }

  /** Wishes about bots, keys or sessions, each with its id. */
  all(about: (typeof ABOUT)[WishKind]): readonly (readonly [string, Wish])[] {
    return [...this.#known].filter(([, { wish }]) => ABOUT[wish] === about);
  }

  /** Keeps a wish for as long as this host runs; `store` keeps it for the next host. */
  keep(id: string, wish: Wish): void {
    this.#known.set(id, wish);
    this.#unstored.add(id);
  }

  /** Writes a kept wish to the disk if it is missing there; false if the disk refuses the write or every slot is taken. */
  store(id: string): boolean {
    const wish = this.#known.get(id);
    if (wish === undefined || !this.#unstored.has(id)) return true;
    const slot = this.#slotFor(id);
    if (slot === -1) return false;
    try {
      const { message: _, ...kept } = wish;
      this.#write(slot, JSON.stringify({ [ABOUT[wish.wish]]: id, ...kept }));
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      return false;
    }
    this.#slots[slot] = id;
    this.#unstored.delete(id);
    return true;
  }

  /** Tries again for every wish that the disk does not hold. */
  storeAll(): void {
    for (const id of this.#unstored) this.store(id);
  }

  /** Drops a wish because the control database knows it now, or was changed since. */
  drop(id: string): void {
    const slot = this.#slots.indexOf(id);
    if (slot !== -1) {
      this.#write(slot, '');
      this.#slots[slot] = null;
    }
    this.#known.delete(id);
    this.#unstored.delete(id);
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Returns the slot of a wish, or a free one, for which there may be space by now; -1 for none. */
  #slotFor(id: string): number {
    const known = this.#slots.indexOf(id);
    if (known !== -1) return known;
    if (!this.#slots.includes(null)) {
      this.#extend();
      for (const { size } = fstatSync(this.#fd); (this.#slots.length + 1) * SLOT_BYTES <= size; )
        this.#slots.push(null);
    }
    return this.#slots.indexOf(null);
  }

  #extend(): void {
    const blank = Buffer.alloc(SLOT_BYTES, ' ');
    try {
      // Overwrites a record that a full disk cut short.
      for (let slot = Math.floor(fstatSync(this.#fd).size / SLOT_BYTES); slot < SLOTS; slot++)
        writeSync(this.#fd, blank, 0, SLOT_BYTES, slot * SLOT_BYTES);
      fdatasyncSync(this.#fd);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
    }
  }

  #write(slot: number, text: string): void {
    const line = Buffer.from(`${text.padEnd(SLOT_BYTES - 1)}\n`);
    if (line.length !== SLOT_BYTES) throw new RangeError(`a wish of ${line.length} bytes fits no slot`);
    writeSync(this.#fd, line, 0, SLOT_BYTES, slot * SLOT_BYTES);
    fdatasyncSync(this.#fd);
  }
}
