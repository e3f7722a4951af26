import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText, systemErrorCode } from '../node/system-error.ts';

/** Path of the file with the addresses that stand for names in the sandbox of a bot. */
export const standInFile = (dir: string, botId: string): string => join(dir, 'names', `${botId}.txt`);

/** Addresses of 198.18.0.0/15, which no network of the internet has. */
const ADDRESSES = 131_070;
/** Most names at a time; a program that looks up more begins again, with addresses that were not given lately. */
const MOST = 10_000;

const addressAt = (index: number): string => {
  const at = (index % ADDRESSES) + 1;
  return `198.${18 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
};

/** True for an address that stands for a name, here or in the sandbox of any bot. */
export const isStandIn = (address: string): boolean => /^198\.1[89]\./.test(address);

/**
 * The addresses that stand for names in the sandbox of one bot: its program looks a name up, connects to such an address, and the
 * gate connects to the name. They are kept in a file, so that a gate that starts again takes an address that a program has kept
 * for no other name.
 */
export class StandIns {
  readonly #file: string;
  readonly #log: (text: string) => void;
  readonly #nameOf = new Map<string, string>();
  readonly #standInOf = new Map<string, string>();
  #next = 0;

  constructor(dir: string, botId: string, log: (text: string) => void) {
    this.#file = standInFile(dir, botId);
    this.#log = log;
    for (const line of this.#lines()) {
      const [, index, name] = /^(\d{1,12}) (\S+)$/.exec(line) ?? [];
      if (index !== undefined && name !== undefined) this.#keep(Number(index), name);
    }
  }

  #lines(): string[] {
    try {
      return readFileSync(this.#file, 'utf8').split('\n');
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') this.#log(`names of a bot cannot be read: ${errorText(error)}`);
      return [];
    }
  }

  #keep(index: number, name: string): string {
    const address = addressAt(index);
    this.#standInOf.set(name, address);
    this.#nameOf.set(address, name);
    this.#next = Math.max(this.#next, index + 1);
    return address;
  }

  /** The address that stands for a name from now on. */
  of(name: string): string {
    const known = this.#standInOf.get(name);
    if (known !== undefined) return known;
    const isFull = this.#standInOf.size >= MOST;
    if (isFull) {
      this.#standInOf.clear();
      this.#nameOf.clear();
    }
    const line = `${this.#next} ${name}\n`;
    try {
      if (isFull) writeFileSync(this.#file, line, { mode: 0o600 });
      else appendFileSync(this.#file, line, { mode: 0o600 });
    } catch (error) {
      // A full disk keeps no bot from its names. They are the same until this gate ends.
      this.#log(`a name of a bot is not kept: ${errorText(error)}`);
    }
    return this.#keep(this.#next, name);
  }

  /** The name for which an address stands; null for one that was never given. */
  nameOf(address: string): string | null {
    return this.#nameOf.get(address) ?? null;
  }
}
