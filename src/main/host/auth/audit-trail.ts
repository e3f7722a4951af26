import type { AuditEntry } from '../../../contract/account.ts';
import { toTimestamp } from '../../../contract/common.ts';
import type { AuditFilter, AuditRecord, AuditRow, AuditWanted, AuthStore } from '../control/auth-store.ts';

const FLUSH_MS = 250;
/** Number of entries written in one transaction. */
const BATCH = 1000;
/** Interval between retries of failed writes, e.g. on a full disk. */
const AGAIN_MS = 5000;
/** Entries kept until a retry succeeds; the oldest are dropped first, and their number is reported. */
const MOST_WAITING = 20_000;

/** How long an entry is kept. */
const KEPT_MS = 180 * 86_400_000;
/** Most entries of one user, because an assistant that reads all day must not fill the control database. */
const MOST_OF_USER = 200_000;
/** Most entries without a user, such as failed log-ins, which need no authentication. */
const MOST_OF_NOBODY = 20_000;

/** A stored entry; its wording is made when it is read. */
export type KeptAuditEntry = Omit<AuditEntry, 'by' | 'deed'>;

const toEntry = ({ at, names, ...row }: AuditRow): KeptAuditEntry => ({
  ...row,
  at: toTimestamp(at),
  names: names === null ? {} : JSON.parse(names),
});

/**
 * Record of who called which operation. A change is on disk before its caller has the answer. Reads are written in
 * batches a moment later, because a commit for each would cost more than the read itself.
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

  /** Writes an entry now, after those that wait. Failed writes are reported, kept, and retried. */
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

  /** Entries of a user, newest first. */
  list(userId: string, limit: number, before?: number, filter: AuditFilter | null = null): KeptAuditEntry[] {
    this.flush();
    return this.#store.audit(userId, limit, before ?? null, filter).map(toEntry);
  }

  /** Successful calls of some operations on some targets, newest first. */
  listOf(userId: string, wanted: AuditWanted, limit: number): KeptAuditEntry[] {
    this.flush();
    return this.#store.auditOf(userId, wanted, limit).map(toEntry);
  }

  /** Removes entries that are too old, and the oldest of too many. */
  prune(now: number): void {
    this.#store.pruneAudit({ before: now - KEPT_MS, most: MOST_OF_USER, mostOfNobody: MOST_OF_NOBODY });
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
      const lost = Math.max(0, this.#waiting.length - MOST_WAITING);
      this.#waiting.splice(0, lost);
      this.#onError(`audit trail${lost === 0 ? '' : `, ${lost} entries lost`}`, error);
      this.#later(AGAIN_MS);
    }
  }

  #later(ms: number): void {
    this.#timer ??= setTimeout(() => this.flush(), ms);
  }
}
