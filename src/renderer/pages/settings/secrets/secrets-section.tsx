import { Plus } from 'lucide-react';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import type { Secret } from '../../../../contract/secrets.ts';
import { Button } from '../../../components/button.tsx';
import { Confirm } from '../../../components/confirm.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Section } from '../../../components/section.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import table from '../../../components/table.module.css';
import { Ago } from '../../../components/time.tsx';
import { useHost } from '../../../data/connection-and-user.ts';
import { useAction, useCall } from '../../../data/use-call.ts';
import styles from '../settings.module.css';
import { SecretDialog } from './secret-dialog.tsx';
import { VaultKeySection } from './vault-key.tsx';

function UsedBy({ bots }: { readonly bots: Secret['used_by'] }) {
  if (bots.length === 0) return <span className={table.dim}>no bot</span>;
  return bots.map(({ bot_id, name }, index) => (
    <Fragment key={bot_id}>
      {index === 0 ? null : ', '}
      <Link href={`/bots/${bot_id}`}>{name}</Link>
    </Fragment>
  ));
}

function Secrets({
  secrets,
  onRotate,
  onChanged,
}: {
  readonly secrets: readonly Secret[];
  readonly onRotate: (name: string) => void;
  readonly onChanged: () => void;
}) {
  const { socket } = useHost();
  const [removed, setRemoved] = useState<string | null>(null);
  const remove = useAction(async () => {
    if (removed !== null) await socket.call('secrets.remove', { name: removed });
    setRemoved(null);
    onChanged();
  });
  return (
    <div className={`${table.scroll} ${table.stacking}`}>
      <table className={table.table}>
        <thead>
          <tr>
            <th>Name</th>
            <th>Class</th>
            <th>Used by</th>
            <th>Value from</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {secrets.map((one) => (
            <tr key={one.name}>
              <td className={table.name}>{one.name}</td>
              <td data-head="Class">
                <span className={one.class === 'live' ? styles.warn : undefined}>{one.class}</span>
                {one.opens ? null : <div className={styles.warn}>sealed</div>}
              </td>
              <td className={table.line} data-head="Used by">
                <UsedBy bots={one.used_by} />
              </td>
              <td className={`${table.line} ${table.dim}`} data-head="Value from">
                <Ago at={one.rotated_at ?? one.created_at} />
              </td>
              <td className={table.end}>
                <Button kind="quiet" aria-label={`Rotate ${one.name}`} onClick={() => onRotate(one.name)}>
                  Rotate
                </Button>
                <Button kind="quiet" aria-label={`Remove ${one.name}`} onClick={() => setRemoved(one.name)}>
                  Remove
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Confirm
        open={removed !== null}
        title={`Remove ${removed ?? ''}?`}
        label="Remove it"
        busy={remove.busy}
        error={remove.error}
        onConfirm={() => void remove.run()}
        onCancel={() => setRemoved(null)}
      >
        <p>Its value is deleted. A secret that a bot uses is not removed.</p>
      </Confirm>
    </div>
  );
}

/** The secrets of this user, and the key that seals them. */
export function SecretsSection() {
  const { who } = useHost();
  const { data, error, reload } = useCall('secrets.list', {});
  const [dialog, setDialog] = useState<{ readonly rotated: string | null } | null>(null);
  return (
    <>
      <Section
        title="Secrets"
        about={
          'Keys of exchanges and other values, which no page and no assistant can read again. A configuration refers to one as {"$secret": "NAME"}.'
        }
        action={
          <Button kind="primary" icon={<Plus aria-hidden="true" />} onClick={() => setDialog({ rotated: null })}>
            Add secret
          </Button>
        }
      >
        {error === null ? null : <ErrorNote error={error} />}
        {data === null ? (
          error === null ? (
            <Skeleton />
          ) : null
        ) : data.items.length === 0 ? (
          <p className={styles.note}>There are no secrets. Add the key of an exchange, and use it in any bot.</p>
        ) : (
          <Secrets secrets={data.items} onRotate={(name) => setDialog({ rotated: name })} onChanged={reload} />
        )}
      </Section>
      {data === null || who.user.role !== 'owner' ? null : <VaultKeySection vault={data.vault} onChanged={reload} />}
      {dialog === null ? null : (
        <SecretDialog rotated={dialog.rotated} onClose={() => setDialog(null)} onChanged={reload} />
      )}
    </>
  );
}
