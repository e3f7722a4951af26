import { expect, it, vi } from 'vitest';
import { AuditTrail } from '../../../../../src/main/host/auth/audit-trail.ts';
import { openAuth, START } from './open-auth.ts';

const entry = (operation: string, userId: string) => ({
  at: START,
  userId,
  method: 'key',
  keyId: null,
  client: null,
  operation,
  target: null,
  outcome: 'ok',
  durationMs: 1,
});

it('keeps what cannot be written, tells of it, and writes it once that works', () => {
  vi.useFakeTimers();
  try {
    const { store, db, owner } = openAuth();
    const failures: string[] = [];
    const trail = new AuditTrail(store, (where, error) => failures.push(`${where}: ${String(error)}`));
    db.exec('alter table audit rename to away');
    trail.recordSoon(entry('read', owner));
    vi.advanceTimersByTime(1000);
    trail.record(entry('change', owner));
    expect(failures).toHaveLength(2);
    expect(failures[0]).toMatch(/^audit trail: .*no such table/);
    db.exec('alter table away rename to audit');
    vi.advanceTimersByTime(10_000);
    expect(failures).toHaveLength(2);
    const written = db.prepare("select operation from audit where operation in ('read', 'change')").pluck().all();
    expect(written).toEqual(['read', 'change']);
  } finally {
    vi.useRealTimers();
  }
});
