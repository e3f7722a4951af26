import type { AuditEntry } from '../../contract/account.ts';
import { toTimestamp } from '../../contract/common.ts';
import type { AuditRecord, AuthStore } from '../store/auth-store.ts';

const FLUSH_MS = 250;
/** Entries that are written at once. */
const BATCH = 1000;
/** After this long it is tried again to write what could not be written, e.g. because the disk was full. */
const AGAIN_MS = 5000;
/** Entries kept until then; the oldest go first, and it is told how many. */
const MOST_KEPT = 20_000;

/**
 * Who did what (wire.md section 7). A change is on disk before its caller has the answer; what was only read is written
 * in batches a moment later, because a commit for each would cost more than the reading.
 */
export class AuditTrail {
  readonly #store: AuthStore;
  readonly #onError: (where: string, error: unknown) => void;
  #waiting: AuditRecord[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(store: AuthStore, onError: (where: string, error: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /** Writes an entry now, and what waits before it. What cannot be written is reported, kept, and tried again. */
  record(entry: AuditRecord): void {
    this.#waiting.push(entry);
    this.flush();
  }

  /** Writes an entry within a quarter of a second; at the latest when the trail is read or closed. */
  recordSoon(entry: AuditRecord): void {
    this.#waiting.push(entry);
    if (this.#waiting.length % BATCH === 0) this.flush();
    else this.#later(FLUSH_MS);
  }

  /** Newest first. */
  list(userId: string, limit: number, before?: number): AuditEntry[] {
    this.flush();
    return this.#store.audit(userId, limit, before ?? null).map(({ at, ...row }) => ({ ...row, at: toTimestamp(at) }));
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#waiting.length === 0) return;
    try {
      const waiting = this.#waiting;
      this.#store.transaction(() => this.#store.addAudits(waiting));
      this.#waiting = [];
    } catch (error) {
      const lost = Math.max(0, this.#waiting.length - MOST_KEPT);
      this.#waiting.splice(0, lost);
      this.#onError(`audit trail${lost === 0 ? '' : `, ${lost} entries lost`}`, error);
      this.#later(AGAIN_MS);
    }
  }

  #later(ms: number): void {
    this.#timer ??= setTimeout(() => this.flush(), ms);
  }
}
