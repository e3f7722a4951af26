import type { AuditEntry } from '../../contract/account.ts';
import { toTimestamp } from '../../contract/common.ts';
import type { AuthStore } from '../store/auth-store.ts';

/** One audited call. */
export interface AuditRecord {
  readonly at: number;
  readonly userId: string | null;
  readonly method: string;
  readonly keyId: string | null;
  readonly client: string | null;
  readonly operation: string;
  readonly target: string | null;
  readonly outcome: string;
  readonly durationMs: number;
}

const FLUSH_MS = 250;
const MOST_WAITING = 1000;

/**
 * Who did what (wire.md section 7). A change is on disk before its caller has the answer; what was only read is written
 * in batches a moment later, because a commit for each would cost more than the reading.
 */
export class AuditTrail {
  readonly #store: AuthStore;
  #waiting: AuditRecord[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(store: AuthStore) {
    this.#store = store;
  }

  /** Writes an entry now. */
  record(entry: AuditRecord): void {
    this.#write([entry]);
  }

  /** Writes an entry within a quarter of a second; at the latest when the trail is read or closed. */
  recordSoon(entry: AuditRecord): void {
    this.#waiting.push(entry);
    if (this.#waiting.length >= MOST_WAITING) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS);
  }

  /** Newest first. */
  list(userId: string, limit: number, before?: number): AuditEntry[] {
    this.flush();
    return this.#store.audit(userId, limit, before ?? null).map(({ at, ...row }) => ({ ...row, at: toTimestamp(at) }));
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const entries = this.#waiting;
    this.#waiting = [];
    if (entries.length > 0) this.#write(entries);
  }

  #write(entries: readonly AuditRecord[]): void {
    const rows = entries.map((entry) => ({
      at: entry.at,
      user_id: entry.userId,
      method: entry.method,
      key_id: entry.keyId,
      client: entry.client,
      operation: entry.operation,
      target: entry.target,
      outcome: entry.outcome,
      duration_ms: entry.durationMs,
    }));
    this.#store.transaction(() => this.#store.addAudits(rows));
  }
}
