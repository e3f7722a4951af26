import type { SessionInfo } from '../../contract/account.ts';
import { Button } from './button.tsx';
import styles from './table.module.css';
import { Table } from './table.tsx';
import { Ago, Day } from './time.tsx';

interface SessionTableProps {
  readonly sessions: readonly SessionInfo[];
  readonly zone: 'local' | 'UTC';
  /** A client's name as people call it. */
  readonly clientWords: (client: string) => string;
  readonly onEnd: (session: SessionInfo) => void;
}

/** Log-ins with their origin and last use, and a button that ends each, except the log-in of this page. */
export function SessionTable({ sessions, zone, clientWords, onEnd }: SessionTableProps) {
  return (
    <Table heads={['Program', 'From', 'Last used', 'Since', 'Ends']} actions="End">
      {sessions.map((one) => (
        <tr key={one.session_id}>
          <td className={styles.name} title={one.client ?? undefined}>
            {one.client === null ? 'Unknown' : clientWords(one.client)}
          </td>
          <td className={`${styles.few} ${styles.dim}`} data-head="From">
            {one.source ?? 'unknown'}
          </td>
          <td className={styles.line} data-head="Last used">
            {one.current ? 'now, here' : <Ago at={one.last_used_at ?? one.created_at} />}
          </td>
          <td className={`${styles.line} ${styles.dim}`} data-head="Since">
            <Day at={one.created_at} zone={zone} />
          </td>
          <td className={`${styles.line} ${styles.dim}`} data-head="Ends">
            <Day at={one.expires_at} zone={zone} />
          </td>
          <td className={styles.end}>
            {one.current ? null : (
              <Button
                kind="quiet"
                aria-label={`End the log-in ${one.client === null ? '' : clientWords(one.client)} from ${one.source ?? 'unknown'}`}
                onClick={() => onEnd(one)}
              >
                End
              </Button>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
