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
import {
  type AuditChoice,
  isAnything,
  noEntries,
  readTrail,
  type TrailPage,
  withNewest,
  withOlder,
} from '../../data/audit-trail.ts';
import { clientWords } from '../../data/client-words.ts';
import { useHost } from '../../data/connection-and-user.ts';
import { usePreferences } from '../../data/preferences.ts';
import { useAction } from '../../data/use-call.ts';
import { AuditAction } from '../audit-action.tsx';
import { AuditFilters } from './audit-filters.tsx';
import styles from './settings.module.css';

/** The chosen part of the trail as far as it was read: its newest entries again when the host is back, and older ones on request. */
function useTrail(choice: AuditChoice) {
  const { socket } = useHost();
  const [page, setPage] = useState<TrailPage | null>(null);
  const read = useCallback(
    (before: number | null) => readTrail((input) => socket.read('audit.list', input), before, choice),
    [socket, choice],
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
  const [exact, setExact] = useState(false);
  const [choice, setChoice] = useState<AuditChoice>({});
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
          assistants did is at <Link href="/connect">Assistants</Link>, and here if you choose them or a key.
        </>
      }
    >
      <AuditFilters onChoose={setChoice} />
      <ChosenTrail key={JSON.stringify(choice)} choice={choice} exact={exact} />
    </Section>
  );
}

function ChosenTrail({ choice, exact }: { readonly choice: AuditChoice; readonly exact: boolean }) {
  const zone = usePreferences((one) => one.zone);
  const { page, error, older } = useTrail(choice);
  return (
    <>
      {error === null ? null : <ErrorNote error={error} />}
      {page === null ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : page.entries.length === 0 ? (
        <p className={styles.note}>{noEntries(page.before, isAnything(choice))}</p>
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
    </>
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
