import { createHmac } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { contactsFile, readContacts } from '../../../gate/contacts.ts';
import { writeFileAtomic } from '../../../node/atomic-write.ts';
import { hostNameMasker } from '../logs/mask/host-name-masker.ts';
import type { HostMasking } from './host-masking.ts';
import { textOfFile } from './text-of-file.ts';

/** Most values that are remembered of one bot; the oldest go first. */
const MOST = 256;

/** How names are shown, by hashes of them. */
const Kept = z.record(z.string(), z.string());
type Kept = z.infer<typeof Kept>;

interface MaskedNamesDeps {
  /** Folder of the gate in the data folder. */
  readonly dir: string;
  readonly hostKey: string;
  /** Secret values that the bot has now. */
  readonly secretsOf: (botId: string) => readonly string[];
}

/** Path of the file with how names are shown that once held a secret of the bot. */
const fileOf = (dir: string, botId: string): string => join(dir, 'masked', `${botId}.json`);

/**
 * How names of hosts are shown, also those that held a secret which their bot does not have any more. The gate records a name as the
 * bot asked for it. So this remembers the secrets that programs were started with while this host runs, and stores for later hosts
 * how the names are shown that hold one, by a hash of the name: a changed secret itself is kept nowhere.
 */
export class MaskedNames {
  readonly #deps: MaskedNamesDeps;
  readonly #had = new Map<string, Set<string>>();
  readonly #kept = new Map<string, Kept>();
  /** When the contacts of a bot were written that were looked at last, with all secrets that are remembered. */
  readonly #lookedAt = new Map<string, string>();

  constructor(deps: MaskedNamesDeps) {
    this.#deps = deps;
  }

  /** Remembers the secrets of a bot that has a program which goes through the gate, or is about to have one. */
  note(botId: string): void {
    const had = this.#had.get(botId) ?? new Set();
    this.#had.set(botId, had);
    for (const value of this.#deps.secretsOf(botId)) {
      // The last ones that a program had stay longest.
      if (!had.delete(value)) this.#lookedAt.delete(botId);
      had.add(value);
    }
    for (const value of [...had].slice(0, Math.max(0, had.size - MOST))) had.delete(value);
  }

  /** Masks texts that name a host for which a bot has asked, at any time. */
  masking(botId: string): HostMasking {
    const mask = this.#maskOf(botId);
    const kept = this.#keptOf(botId);
    return (text, host) => {
      const shown = host === '' ? undefined : kept[this.#hash(botId, host)];
      return mask(shown === undefined ? text : text.replaceAll(host, shown));
    };
  }

  /** Stores how the names are shown of all bots whose secrets are remembered. Rejects with the first failure, after all were tried. */
  async keepAll(): Promise<void> {
    const kept = await Promise.allSettled([...this.#had.keys()].map((botId) => this.#keep(botId)));
    for (const one of kept) if (one.status === 'rejected') throw one.reason;
  }

  /** Forgets a bot that is deleted. */
  async forget(botId: string): Promise<void> {
    this.#had.delete(botId);
    this.#kept.delete(botId);
    this.#lookedAt.delete(botId);
    await rm(fileOf(this.#deps.dir, botId), { force: true });
  }

  async #keep(botId: string): Promise<void> {
    const { dir } = this.#deps;
    const stat = statSync(contactsFile(dir, botId), { bigint: true, throwIfNoEntry: false });
    const at = String(stat?.mtimeNs);
    if (stat === undefined || this.#lookedAt.get(botId) === at) return;
    const before = this.#keptOf(botId);
    const mask = this.#maskOf(botId);
    const after: Kept = { ...before };
    for (const { host } of readContacts(dir, botId)) {
      const shown = mask(host);
      if (shown !== host) after[this.#hash(botId, host)] ??= shown;
    }
    if (Object.keys(after).length > Object.keys(before).length) {
      await mkdir(join(dir, 'masked'), { recursive: true, mode: 0o700 });
      await writeFileAtomic(fileOf(dir, botId), JSON.stringify(after));
      this.#kept.set(botId, after);
    }
    this.#lookedAt.set(botId, at);
    // It may have been deleted meanwhile.
    if (!this.#had.has(botId)) await this.forget(botId);
  }

  #maskOf(botId: string): (text: string) => string {
    return hostNameMasker([...new Set([...this.#deps.secretsOf(botId), ...(this.#had.get(botId) ?? [])])]);
  }

  #keptOf(botId: string): Kept {
    const known = this.#kept.get(botId);
    if (known !== undefined) return known;
    const text = textOfFile(fileOf(this.#deps.dir, botId));
    const kept = text === null ? {} : Kept.parse(JSON.parse(text));
    this.#kept.set(botId, kept);
    return kept;
  }

  #hash(botId: string, host: string): string {
    return createHmac('sha256', this.#deps.hostKey).update(`contact ${botId} ${host}`).digest('base64url');
  }
}
