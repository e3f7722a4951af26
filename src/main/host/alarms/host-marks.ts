import { toTimestamp } from '../../../contract/common.ts';
import { isJsonObject, parsedOrNull } from '../../../shared/json.ts';
import type { AlarmMark, AlarmStore } from '../control/alarm-store.ts';
import { type ClockReading, type Clocks, ClockWatch } from './clock-watch.ts';
import type { HostAlarms } from './host-events.ts';

/** A reading of the clocks is stored after this time, and with each alarm about them. */
const READING_MS = 300_000;

/** A host that ended without being stopped, as its heartbeat tells. */
interface DeadHost {
  readonly pid: number;
  /** ms since the epoch. */
  readonly seenAt: number;
}

interface MarkDeps {
  readonly store: Pick<AlarmStore, 'mark' | 'setMark'>;
  readonly ofHost: HostAlarms;
}

function marked(store: MarkDeps['store'], name: AlarmMark): Readonly<Record<string, unknown>> | null {
  const text = store.mark(name);
  const value = text === null ? null : parsedOrNull(text);
  return isJsonObject(value) ? value : null;
}

/**
 * Marks that this host runs, and in the same transaction tells owners of earlier hosts that ended without being stopped: the one whose
 * mark is there, and the one whose heartbeat is. The mark names a host of which nothing was told yet, so that a host that dies right
 * after its start loses no crash. `isCopied`: the folder is a copy, whose original may run; nothing is told of it.
 */
export function markRunning(
  { store, ofHost }: MarkDeps,
  host: {
    readonly pid: number;
    readonly startedAt: number;
    readonly died: DeadHost | null;
    readonly isCopied: boolean;
  },
): void {
  const { pid, startedAt, died, isCopied } = host;
  ofHost.tell('host_crashed', ({ raise }) => {
    const before = marked(store, 'running');
    store.setMark('running', JSON.stringify({ pid, startedAt }));
    if (isCopied) return;
    const tell = (text: string): void =>
      raise({ event: 'host_crashed', title: 'The host came back after a crash', text });
    if (before !== null && before.pid !== died?.pid) {
      const since = typeof before.startedAt === 'number' ? `, started at ${toTimestamp(before.startedAt)}` : '';
      tell(`An earlier one (process ${String(before.pid)}${since}) ended without being stopped.`);
    }
    if (died !== null) {
      const seen = toTimestamp(died.seenAt);
      tell(`The last one (process ${died.pid}) ended without being stopped, a few seconds after ${seen}.`);
    }
  });
}

/** Call when this host was stopped: its end is no crash. The mark of an earlier host stays. */
export function unmarkRunning(
  { store, ofHost }: MarkDeps,
  host: { readonly pid: number; readonly startedAt: number },
): void {
  ofHost.tell('the end of the host', () => {
    const mark = marked(store, 'running');
    if (mark?.pid === host.pid && mark.startedAt === host.startedAt) store.setMark('running', null);
  });
}

/**
 * Watches the clocks from the newest reading that is stored of this start of the machine: a jump or a sleep of which an earlier host
 * died before it could tell is told by this one. The reading moves in the transaction of the alarm.
 */
export class MarkedClocks {
  readonly #deps: MarkDeps;
  readonly #boot: string;
  readonly #watch: ClockWatch;
  #storedAt = Number.NEGATIVE_INFINITY;

  /** `boot` identifies the start of the machine. */
  constructor(deps: MarkDeps, boot: string, clocks: Clocks, everyMs: number) {
    this.#deps = deps;
    this.#boot = boot;
    const before = marked(deps.store, 'clocks');
    const at = (name: keyof ClockReading): number => Number(before?.[name]);
    const earlier = { wall: at('wall'), steady: at('steady'), up: at('up') };
    const isSame = before?.boot === boot && Object.values(earlier).every(Number.isFinite);
    this.#watch = new ClockWatch(clocks, everyMs, isSame ? earlier : null);
  }

  /** Call regularly. */
  look(dueBetween: (from: number, to: number) => number): void {
    const facts = this.#watch.look(dueBetween);
    const { reading } = this.#watch;
    if (facts.length === 0 && Math.abs(reading.steady - this.#storedAt) < READING_MS) return;
    this.#storedAt = reading.steady;
    this.#deps.ofHost.tell('the clock of the host', ({ raise }) => {
      for (const fact of facts) raise(fact);
      this.#deps.store.setMark('clocks', JSON.stringify({ boot: this.#boot, ...reading }));
    });
  }
}

/** Tells owners of backups that a person has begun and that failed, also where the host ended meanwhile. */
export class BackupAlarms {
  readonly #deps: MarkDeps;

  constructor(deps: MarkDeps) {
    this.#deps = deps;
  }

  /** Call before the first backup of a host: tells of one that the end of an earlier host has cut short. */
  tellOfCut(): void {
    const { store, ofHost } = this.#deps;
    if (store.mark('backup') === null) return;
    ofHost.tell('backup_failed', ({ raise }) => {
      const at = marked(store, 'backup')?.at;
      const when = typeof at === 'number' ? ` It was begun at ${toTimestamp(at)}.` : '';
      const text = `The host ended while it was made, and nothing of it counts.${when}`;
      raise({ event: 'backup_failed', title: 'A backup was cut short', text });
      store.setMark('backup', null);
    });
  }

  begun(at: number): void {
    this.#deps.ofHost.tell('a backup', () => this.#deps.store.setMark('backup', JSON.stringify({ at })));
  }

  /** `problem`: why it failed; null if it did not. */
  ended(problem: string | null): void {
    const { store, ofHost } = this.#deps;
    ofHost.tell('backup_failed', ({ raise }) => {
      if (problem !== null) raise({ event: 'backup_failed', title: 'A backup failed', text: `${problem}.` });
      store.setMark('backup', null);
    });
  }
}
