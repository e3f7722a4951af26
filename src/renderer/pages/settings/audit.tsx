import { useCallback, useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { AuditEntry } from '../../../contract/account.ts';
import { Outcome } from '../../components/audit-outcome.tsx';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import table from '../../components/table.module.css';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { noEntries, readTrail, type TrailPage, withNewest, withOlder } from '../../data/audit-trail.ts';
import { clientWords } from '../../data/client-words.ts';
import { useHost } from '../../data/host-context.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useAction } from '../../data/use-call.ts';
import { AuditAction } from '../audit-action.tsx';
import styles from './settings.module.css';

/** The trail as far as it was read: its newest entries again when the host is back, and older ones on request. */
function useTrail() {
  const { socket } = useHost();
  const [page, setPage] = useState<TrailPage | null>(null);
  const read = useCallback(
    (before: number | null) => readTrail((input) => socket.read('audit.list', input), before),
    [socket],
  );
  const newest = useAction(async () => {
    const next = await read(null);
    setPage((known) => withNewest(known, next));
  });
  const older = useAction(async () => {
    const from = page?.before ?? null;
    const next = await read(from);
    setPage((known) => withOlder(known, from, next));
  });
  const { run } = newest;
  useEffect(() => {
    void run();
    return socket.onLink((link) => link === 'open' && void run());
  }, [socket, run]);
  return { page, error: newest.error ?? older.error, older };
}

/** The audit trail of this account. */
export function AuditSection() {
  const zone = usePreferences((one) => one.zone);
  const { page, error, older } = useTrail();
  const [exact, setExact] = useState(false);
  return (
    <Section
      title="Audit"
      action={
        <Button aria-pressed={exact} onClick={() => setExact(!exact)}>
          Operations and ids
        </Button>
      }
      about={
        <>
          What was changed with your account, by what and how it ended; also what was refused. Kept for 180 days. What
          assistants did is at <Link href="/connect">Assistants</Link>.
        </>
      }
    >
      {error === null ? null : <ErrorNote error={error} />}
      {page === null ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : page.entries.length === 0 ? (
        <p className={styles.note}>{noEntries(page.before)}</p>
      ) : (
        <Trail entries={page.entries} zone={zone} exact={exact} />
      )}
      {page === null || page.before === null ? null : (
        <div>
          <Button busy={older.busy} onClick={() => void older.run()}>
            {page.entries.length === 0 ? 'Look further back' : 'Show older'}
          </Button>
        </div>
      )}
    </Section>
  );
}

interface TrailProps {
  readonly entries: readonly AuditEntry[];
  readonly zone: 'local' | 'UTC';
  /** True if operations and ids are shown too. */
  readonly exact: boolean;
}

function Trail({ entries, zone, exact }: TrailProps) {
  return (
    <Table heads={[`Time (${zone === 'UTC' ? 'UTC' : 'local'})`, 'Who', 'What', 'Outcome']}>
      {entries.map((entry) => (
        <tr key={entry.audit_id}>
          <td className={`${table.line} ${table.dim}`}>
            <Time at={entry.at} zone={zone} />
          </td>
          <td className={table.few} data-head="Who">
            {entry.by}
            {entry.client === null ? null : (
              <div className={table.dim} title={entry.client}>
                {clientWords(entry.client)}
              </div>
            )}
          </td>
          <td className={table.words} data-head="What">
            <AuditAction entry={entry} exact={exact} />
          </td>
          <td className={table.line} data-head="Outcome">
            <Outcome entry={entry} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
