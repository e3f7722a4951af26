import { formatDuration } from '../../../shared/format-quantity.ts';
import type { HostFact } from './host-events.ts';

/** Clocks of the machine in ms. */
export interface Clocks {
  /** Time of day; a person or a time server may set it. */
  readonly wall: () => number;
  /** Steady, the same for all processes of the machine; on Linux and macOS it stands still while the machine sleeps. */
  readonly steady: () => number;
  /** Time since the machine was started, with the time asleep. */
  readonly up: () => number;
}

/** What the clocks showed at one look. */
export interface ClockReading {
  readonly wall: number;
  readonly steady: number;
  readonly up: number;
}

/** Differences below this are slow ticks and corrections by a time server. */
const LEAST_MS = 30_000;

/**
 * What has happened to the clocks between two looks. A machine that slept: the time since its start goes on while the steady clock
 * stands still, or, where the steady clock goes on as well, no look came for a long time. A clock that jumped: the time of day moved by
 * another amount than the time since the start. `earlier` is a look of an earlier host, since the same start of the machine.
 */
export class ClockWatch {
  readonly #clocks: Clocks;
  readonly #everyMs: number;
  #last: ClockReading;
  /** The host did not run since the last look, so that a late one says nothing. */
  #wasDown: boolean;

  constructor(clocks: Clocks, everyMs: number, earlier: ClockReading | null = null) {
    this.#clocks = clocks;
    this.#everyMs = everyMs;
    this.#last = earlier ?? this.#now();
    this.#wasDown = earlier !== null;
  }

  /** The newest look. */
  get reading(): ClockReading {
    return this.#last;
  }

  /** Call regularly. `dueBetween`: number of due times of bots between two times of day. */
  look(dueBetween: (from: number, to: number) => number): HostFact[] {
    const [before, now] = [this.#last, this.#now()];
    this.#last = now;
    const [wall, steady, up] = [now.wall - before.wall, now.steady - before.steady, now.up - before.up];
    const late = this.#wasDown ? 0 : steady - this.#everyMs - LEAST_MS;
    this.#wasDown = false;
    const asleep = Math.max(up - steady, late);
    const facts: HostFact[] = [];
    if (asleep >= LEAST_MS) {
      const [from, to] = [now.wall - Math.max(up, steady), now.wall];
      const due = dueBetween(from, to);
      const passed = due === 0 ? 'No due time passed.' : `${due} due ${due === 1 ? 'time' : 'times'} of bots passed.`;
      const span = `From ${new Date(from).toISOString()} to ${new Date(to).toISOString()}.`;
      facts.push({
        event: 'slept',
        title: `The machine of the host slept for ${formatDuration(asleep)}`,
        text: `${span} ${passed}`,
      });
    }
    const jump = wall - Math.max(up, steady);
    if (Math.abs(jump) >= LEAST_MS) {
      const way = jump > 0 ? 'forward' : 'back';
      facts.push({
        event: 'clock_jumped',
        title: `The clock of the host jumped ${way} by ${formatDuration(Math.abs(jump))}`,
        text: `It now shows ${new Date(now.wall).toISOString()}. Due times go by this clock.`,
      });
    }
    return facts;
  }

  #now(): ClockReading {
    return { wall: this.#clocks.wall(), steady: this.#clocks.steady(), up: this.#clocks.up() };
  }
}
