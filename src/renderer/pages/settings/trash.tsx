import { useState } from 'react';
import { useLocation } from 'wouter';
import type { TrashedBot } from '../../../contract/trash.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import table from '../../components/table.module.css';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { HostError } from '../../data/host-error.ts';
import { usePreferences } from '../../data/preferences.ts';
import { toastDone } from '../../data/toasts.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import { RestoreBot } from './restore-bot.tsx';
import styles from './settings.module.css';

/** Deleted bots of this user. */
export function TrashSection() {
  const { data, error, reload } = useCall('trash.list', {});
  const [removed, setRemoved] = useState<readonly TrashedBot[] | null>(null);
  const [restored, setRestored] = useState<TrashedBot | null>(null);
  const [, go] = useLocation();
  return (
    <Section
      title="Trash"
      about="Deleted bots, for 7 days. A restored one has its books, logs and state again and is stopped; arm it again if it was armed."
      action={
        data === null || data.items.length === 0 ? undefined : (
          <Button onClick={() => setRemoved(data.items)}>Empty trash</Button>
        )
      }
    >
      {error === null ? null : <ErrorNote error={error} />}
      {data === null ? (
        error === null ? (
          <Skeleton />
        ) : null
      ) : data.items.length === 0 ? (
        <p className={styles.note}>The trash is empty.</p>
      ) : (
        <Deleted bots={data.items} onRestore={setRestored} onRemove={(bot) => setRemoved([bot])} />
      )}
      {removed === null ? null : <RemoveForGood bots={removed} onChanged={reload} onClose={() => setRemoved(null)} />}
      {restored === null ? null : (
        <RestoreBot
          bot={restored}
          onRestored={({ bot_id }) => go(`/bots/${bot_id}`)}
          onClose={() => {
            setRestored(null);
            reload();
          }}
        />
      )}
    </Section>
  );
}

interface DeletedProps {
  readonly bots: readonly TrashedBot[];
  readonly onRestore: (bot: TrashedBot) => void;
  readonly onRemove: (bot: TrashedBot) => void;
}

function Deleted({ bots, onRestore, onRemove }: DeletedProps) {
  const zone = usePreferences((one) => one.zone);
  return (
    <Table heads={['Bot', 'Deleted', 'By', 'Removed after']} actions="Actions">
      {bots.map((bot) => (
        <tr key={bot.bot_id}>
          <td className={table.name}>
            {bot.name}
            <div className={table.dim}>
              {bot.type} {bot.version}
            </div>
          </td>
          <td className={`${table.line} ${table.dim}`} data-head="Deleted">
            <Time at={bot.deleted_at} zone={zone} />
          </td>
          <td className={table.few} data-head="By">
            {bot.deleted_by}
          </td>
          <td className={`${table.line} ${table.dim}`} data-head="Removed after">
            <Time at={bot.restorable_until} zone={zone} />
          </td>
          <td className={table.end}>
            <Button kind="quiet" aria-label={`Restore ${bot.name}`} onClick={() => onRestore(bot)}>
              Restore
            </Button>
            <Button kind="quiet" aria-label={`Remove ${bot.name} for good`} onClick={() => onRemove(bot)}>
              Remove
            </Button>
          </td>
        </tr>
      ))}
    </Table>
  );
}

interface RemoveProps {
  readonly bots: readonly TrashedBot[];
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

function RemoveForGood({ bots, onChanged, onClose }: RemoveProps) {
  const { socket } = useHost();
  const [first] = bots;
  const what = bots.length === 1 && first !== undefined ? first.name : `${bots.length} bots`;
  const remove = useAction(async () => {
    const { removed, failed } = await socket.call('trash.empty', { bot_ids: bots.map(({ bot_id }) => bot_id) });
    onChanged();
    const [stays] = failed;
    if (stays === undefined) {
      toastDone(`${what} removed for good`);
      onClose();
      return;
    }
    const message = `${removed.length} of ${bots.length} were removed`;
    throw new HostError({ code: 'INTERNAL', message, hint: stays.problem, details: null, request_id: null });
  });
  return (
    <Confirm
      open={true}
      title={`Remove ${what} for good?`}
      label="Remove for good"
      busy={remove.busy}
      error={remove.error}
      onConfirm={() => void remove.run()}
      onCancel={onClose}
    >
      <p>Configuration, logs, metrics, state and the history of runs are removed. This cannot be undone.</p>
    </Confirm>
  );
}
