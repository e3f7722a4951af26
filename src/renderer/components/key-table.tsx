import { useState } from 'react';
import type { ApiKey } from '../../contract/account.ts';
import { Button } from './button.tsx';
import { Confirm } from './confirm.tsx';
import { scopeWord } from './key-scopes.ts';
import styles from './table.module.css';
import { Table } from './table.tsx';
import { Ago, Day } from './time.tsx';

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly zone: 'local' | 'UTC';
  readonly nameOfBot: (botId: string) => string;
  /** Rejects with what went wrong, which is shown where it was asked for. */
  readonly onRevoke: (key: ApiKey) => Promise<void>;
}

function Bots({ bots, nameOfBot }: { readonly bots: ApiKey['bots']; readonly nameOfBot: (botId: string) => string }) {
  if (bots === null) return <>All bots</>;
  const names = bots.map(nameOfBot);
  return <span title={names.join('\n')}>{names.length === 1 ? names[0] : `${names.length} bots`}</span>;
}

/** Keys with what each may do, when it was used, and a button that takes it back. */
export function KeyTable({ keys, zone, nameOfBot, onRevoke }: KeyTableProps) {
  const [asked, setAsked] = useState<ApiKey | null>(null);
  const [busy, setBusy] = useState(false);
  const revoke = (key: ApiKey): void => {
    setBusy(true);
    onRevoke(key).finally(() => {
      setBusy(false);
      setAsked(null);
    });
  };
  return (
    <>
      <Table heads={['Name', 'May', 'Reaches', 'Last used', 'Made', 'Ends']} actions="Revoke">
        {keys.map((key) => (
          <tr key={key.key_id}>
            <td className={styles.name} title={key.key_id}>
              {key.name}
            </td>
            <td className={styles.few} data-head="May">
              {scopeWord(key.scope)}
              {key.extended ? <span className={styles.dim}> + further tools</span> : null}
            </td>
            <td className={styles.few} data-head="Reaches">
              <Bots bots={key.bots} nameOfBot={nameOfBot} />
            </td>
            <td className={styles.line} data-head="Last used">
              {key.last_used_at === null ? <span className={styles.dim}>never</span> : <Ago at={key.last_used_at} />}
            </td>
            <td className={`${styles.line} ${styles.dim}`} data-head="Made">
              <Day at={key.created_at} zone={zone} />
            </td>
            <td className={`${styles.line} ${styles.dim}`} data-head="Ends">
              {key.expires_at === null ? 'never' : <Day at={key.expires_at} zone={zone} />}
            </td>
            <td className={styles.end}>
              <Button kind="quiet" aria-label={`Revoke ${key.name}`} onClick={() => setAsked(key)}>
                Revoke
              </Button>
            </td>
          </tr>
        ))}
      </Table>
      <Confirm
        open={asked !== null}
        title={`Revoke ${asked?.name ?? ''}?`}
        label="Revoke"
        busy={busy}
        onConfirm={() => asked !== null && revoke(asked)}
        onCancel={() => setAsked(null)}
      >
        <p>Whatever uses this key is refused from then on, at once. The key cannot be brought back; make a new one.</p>
      </Confirm>
    </>
  );
}
