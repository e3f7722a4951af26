import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exists } from './platform.ts';
import { tempDir } from './temp.ts';

const LIBRARY = `/usr/lib/${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu/faketime/libfaketimeMT.so.1`;

/** Why no host can be given another clock here; null when one can. */
export function whyNoOtherClock(): string | null {
  return process.platform === 'linux' && existsSync(LIBRARY) ? null : 'there is no libfaketime';
}

/**
 * A wall clock that a test sets while a host runs on it, as an administrator or a suspended machine does: the steady clock
 * goes on as ever (libfaketime). The host sees a change within two seconds.
 */
export class OtherClock {
  readonly #file = join(tempDir('other-clock-'), 'offset');
  #offsetMs = 0;

  constructor() {
    this.set(Date.now());
  }

  /** For a host. Its bots keep the clock of this machine. */
  get env(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** What it shows, in milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.#offsetMs;
  }

  set(now: number): void {
    this.#offsetMs = Math.round(now - Date.now());
    const sign = this.#offsetMs < 0 ? '-' : '+';
    writeFileSync(this.#file, `${sign}${(Math.abs(this.#offsetMs) / 1000).toFixed(3)}\n`);
  }

  /** Removes what the library leaves of processes of this user that were killed; nobody may remove what others left. */
  tidy(): void {
    for (const name of readdirSync('/dev/shm')) {
      const pid = /^(?:faketime_shm_|sem\.faketime_sem_)(\d+)$/.exec(name)?.[1];
      if (pid === undefined || exists(Number(pid))) continue;
      const place = join('/dev/shm', name);
      if (statSync(place, { throwIfNoEntry: false })?.uid === process.getuid?.()) rmSync(place, { force: true });
    }
  }
}
