import { createHash, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, writeSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { STOP_REASONS, type StopReason } from '../../../contract/stop-reason.ts';
import type { Clock } from '../../../node/clock.ts';
import { openUntrustedSync } from '../../../node/open-untrusted.ts';
import { bootId } from '../../../node/process-identity.ts';
import { readUntrusted } from '../../../node/read-untrusted.ts';
import { isJsonObject } from '../../../shared/json.ts';

/** The two files of a control channel: the host writes `stop`, the program writes `hook`. */
export interface ControlFiles {
  readonly stop: string;
  readonly hook: string;
}

/** How a stop hook ended. */
export type StopHookEnd =
  /** The program has no hook for the reason. */
  | { readonly is: 'none' }
  | { readonly is: 'done' }
  | { readonly is: 'failed'; readonly error: string }
  /** Its time is over, or the program has ended before it said so. */
  | { readonly is: 'late' }
  | { readonly is: 'ended' };

/** Reserved when the program starts, so that a full disk keeps no hook from being asked. */
const STOP_BYTES = 512;
const HOOK_BYTES = 4096;
const POLL_MS = 50;
const ERROR_CHARS = 500;

export function controlFiles(dir: string): ControlFiles {
  return { stop: join(dir, 'stop'), hook: join(dir, 'hook') };
}

/** What a program is told of its token: it can recognise the token, and nothing that it holds can be used in its place. */
export function tokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Makes the files of a program that is about to start. */
export async function makeControlFiles({ stop, hook }: ControlFiles): Promise<void> {
  await writeFile(stop, ' '.repeat(STOP_BYTES), { mode: 0o644 });
  await writeFile(hook, ' '.repeat(HOOK_BYTES), { mode: 0o600 });
}

interface Asked {
  readonly reason: StopReason;
  /** Until when the hook may run, in ms since the epoch: for people and programs. The clock behind it may be set. */
  readonly until: number;
  /** The same by the monotonic clock of this start of the machine, which no one can set; null where an earlier release asked. */
  readonly steady: { readonly boot: string; readonly until: number } | null;
}

interface Hook {
  readonly reasons: readonly string[];
  readonly ended: { readonly error: string | null } | null;
}

async function readJson(file: string, most: number): Promise<unknown> {
  const found = await readUntrusted(file, most);
  if (typeof found === 'string') return null;
  try {
    return JSON.parse(found.text);
  } catch {
    // Blank, half written, or spoilt by another program.
    return null;
  }
}

/**
 * The host's end of a program's control channel. The host shows a token that derives from its key and that nothing but this
 * channel ever holds, so neither a query nor another program can have a hook run. What was asked stands in the file: the
 * next host asks for nothing twice, and keeps the deadline.
 */
export class StopHook {
  readonly #files: ControlFiles;
  readonly #token: string;
  readonly #clock: Clock;

  constructor(files: ControlFiles, token: string, clock: Clock) {
    this.#files = files;
    this.#token = token;
    this.#clock = clock;
  }

  /** The stop that a host has asked the program for; null for none. */
  async asked(): Promise<Asked | null> {
    const found = await readJson(this.#files.stop, STOP_BYTES);
    if (!isJsonObject(found)) return null;
    const { token, reason, until, boot, monotonic_until } = found;
    const own = Buffer.from(this.#token);
    const given = Buffer.from(typeof token === 'string' ? token : '');
    if (given.length !== own.length || !timingSafeEqual(given, own) || typeof until !== 'number') return null;
    const known = STOP_REASONS.find((one) => one === reason);
    if (known === undefined) return null;
    const isSteady = typeof boot === 'string' && typeof monotonic_until === 'number';
    return { reason: known, until, steady: isSteady ? { boot, until: monotonic_until } : null };
  }

  /**
   * Has the program run its hook for the reason, if it has one, and waits for the end of that, at most `graceMs` since it was
   * asked. `exited` resolves with the end of the program. Rejects when the program could not be asked.
   */
  async run(reason: StopReason, graceMs: number, exited: Promise<unknown>): Promise<StopHookEnd> {
    const before = await this.asked();
    const reasons = (await this.#hook())?.reasons ?? [];
    if (before === null && !reasons.includes(reason) && !reasons.includes('any')) return { is: 'none' };
    const boot = await bootId();
    const end = this.#clock.monotonic() + graceMs;
    if (before === null) {
      this.#ask({ reason, until: this.#clock.now() + graceMs, steady: { boot, until: end } });
    }
    // After a restart of the machine, nothing tells how much time has passed: the program has begun anew as well.
    const deadline = before?.steady?.boot === boot ? Math.min(end, before.steady.until) : end;
    let hasExited = false;
    const exit = exited.then(() => {
      hasExited = true;
    });
    for (;;) {
      const ended = (await this.#hook())?.ended ?? null;
      if (ended !== null) return ended.error === null ? { is: 'done' } : { is: 'failed', error: ended.error };
      if (hasExited) return { is: 'ended' };
      if (this.#clock.monotonic() >= deadline) return { is: 'late' };
      await Promise.race([exit, wait(POLL_MS)]);
    }
  }

  async #hook(): Promise<Hook | null> {
    const found = await readJson(this.#files.hook, HOOK_BYTES);
    if (!isJsonObject(found)) return null;
    const { reasons, ended } = found;
    const error = isJsonObject(ended) ? ended.error : null;
    return {
      reasons: Array.isArray(reasons) ? reasons.filter((one) => typeof one === 'string') : [],
      ended: isJsonObject(ended) ? { error: typeof error === 'string' ? error.slice(0, ERROR_CHARS) : null } : null,
    };
  }

  #ask({ reason, until, steady }: Asked): void {
    const asked = { token: this.#token, reason, until, boot: steady?.boot, monotonic_until: steady?.until };
    const line = Buffer.from(JSON.stringify(asked).padEnd(STOP_BYTES));
    const fd = openUntrustedSync(this.#files.stop, constants.O_WRONLY);
    if (typeof fd === 'string')
      throw new Error(`${this.#files.stop} is ${fd}: another program has removed or replaced it`);
    try {
      writeSync(fd, line, 0, line.length, 0);
    } finally {
      closeSync(fd);
    }
  }
}
