import { useEffect, useState } from 'react';
import type { ApiKey, AuditEntry } from '../../../contract/account.ts';
import { formatDuration } from '../../../shared/format-quantity.ts';
import { Outcome } from '../../components/audit-outcome.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import table from '../../components/table.module.css';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { type HostError, toHostError } from '../../data/host-error.ts';
import { usePreferences } from '../../data/preferences.ts';
import { AuditAction } from '../audit-action.tsx';
import styles from './activity.module.css';
import { merged } from './merge-activity.ts';

const LOOK_MS = 3000;
const FIRST = 1000;
const LATER = 50;

interface Activity {
  readonly entries: readonly AuditEntry[] | null;
  readonly error: HostError | null;
}

/** The trail has no stream: its newest entries are read repeatedly while it is in view. */
function useActivity(): Activity {
  const { socket } = useHost();
  const [state, setState] = useState<Activity>({ entries: null, error: null });
  useEffect(() => {
    let left = false;
    let known: readonly AuditEntry[] | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      if (!document.hidden && socket.link === 'open') {
        try {
          const { items } = await socket.read('audit.list', { limit: known === null ? FIRST : LATER });
          known = merged(known ?? [], items);
          if (!left) setState({ entries: known, error: null });
        } catch (thrown) {
          if (!left) setState({ entries: known, error: toHostError(thrown) });
        }
      }
      if (!left) timer = setTimeout(() => void look(), LOOK_MS);
    };
    const seen = (): void => {
      clearTimeout(timer);
      void look();
    };
    const stop = socket.onLink((link) => link === 'open' && seen());
    document.addEventListener('visibilitychange', seen);
    void look();
    return () => {
      left = true;
      clearTimeout(timer);
      stop();
      document.removeEventListener('visibilitychange', seen);
    };
  }, [socket]);
  return state;
}

/** Calls of assistants, as they happen. */
export function ActivityList({ keys }: { readonly keys: readonly ApiKey[] }) {
  const { entries, error } = useActivity();
  const zone = usePreferences((one) => one.zone);
  const whose = (entry: AuditEntry): string =>
    keys.find(({ key_id }) => key_id === entry.key_id)?.name ?? (entry.key_id === null ? 'Your log-in' : entry.key_id);
  return (
    <Section title="What assistants did" about="Every call over MCP, reads included, as it happens. Kept for 180 days.">
      {error === null ? null : <ErrorNote error={error} />}
      {entries === null ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : entries.length === 0 ? (
        <p className={styles.none}>
          Nothing yet. Ask a connected assistant: <q>Which bots do I have, and is any of them unwell?</q>
        </p>
      ) : (
        <Table
          heads={[
            `Time (${zone === 'UTC' ? 'UTC' : 'local'})`,
            'Key',
            'What',
            'Outcome',
            { text: 'Took', className: styles.number },
          ]}
          placeClass={styles.tall}
        >
          {entries.map((entry) => (
            <tr key={entry.audit_id}>
              <td className={`${table.line} ${table.dim}`}>
                <Time at={entry.at} zone={zone} />
              </td>
              <td
                className={styles.name}
                data-head="Key"
                title={[whose(entry), entry.client].filter(Boolean).join('\n')}
              >
                {whose(entry)}
              </td>
              <td className={table.words} data-head="What">
                <AuditAction entry={entry} />
              </td>
              <td className={table.line} data-head="Outcome">
                <Outcome entry={entry} />
              </td>
              <td className={`${table.line} ${table.dim} ${styles.number}`} data-head="Took">
                {formatDuration(entry.duration_ms)}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
