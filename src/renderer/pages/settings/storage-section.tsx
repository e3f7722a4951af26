import { Archive } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { BackupInfo } from '../../../contract/backup.ts';
import type { Storage } from '../../../contract/storage-settings.ts';
import { formatBytes } from '../../../shared/format-quantity.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { Section } from '../../components/section.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import table from '../../components/table.module.css';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { usePreferences } from '../../data/preferences.ts';
import { toastDone } from '../../data/toasts.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import styles from './settings.module.css';

/** Settings of retention, and the backups that there are. */
export function StorageSection() {
  const storage = useCall('host.storage', {});
  return (
    <>
      <Section title="Storage" about="How much is kept: logs and metrics of each bot, and daily copies of control.db.">
        {storage.data === null ? (
          storage.error === null ? (
            <Skeleton rows={5} />
          ) : (
            <ErrorNote error={storage.error} />
          )
        ) : (
          // The fields start from the host's values, once for each answer.
          <Kept
            key={JSON.stringify({ ...storage.data, free_bytes: 0 })}
            storage={storage.data}
            onDone={storage.reload}
          />
        )}
      </Section>
      <BackupsSection />
    </>
  );
}

const NUMBERS = {
  retention_days: { label: 'Days that logs are kept', most: 3650 },
  retention_mb: { label: 'Megabytes of logs per bot', most: 1_048_576 },
  backups_kept: { label: 'Daily copies of control.db', most: 365 },
  min_free_mb: { label: 'Megabytes to keep free', most: 1_048_576 },
} as const;
type Name = keyof typeof NUMBERS;
const NAMES = Object.keys(NUMBERS) as Name[];

function problemOf(name: Name, text: string): string | undefined {
  if (name === 'min_free_mb' && text === '') return undefined;
  const value = Number(text);
  const { most } = NUMBERS[name];
  return Number.isInteger(value) && value >= 1 && value <= most ? undefined : `A whole number from 1 to ${most}`;
}

function Kept({ storage, onDone }: { readonly storage: Storage; readonly onDone: () => void }) {
  const { socket } = useHost();
  const textOf = (name: Name): string => String(storage[name] ?? '');
  const [typed, setTyped] = useState(() => Object.fromEntries(NAMES.map((name) => [name, textOf(name)])));
  const changed = NAMES.filter((name) => typed[name] !== textOf(name));
  const save = useAction(async () => {
    const change = changed.map((name) => [name, typed[name] === '' ? null : Number(typed[name])] as const);
    await socket.call('host.set_storage', Object.fromEntries(change));
    toastDone('Saved');
    onDone();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save.run();
  };
  const hintOf = (name: Name): string | undefined => {
    if (storage.fixed.some((one) => one === name)) return 'Given to the host by a flag or the environment';
    if (name !== 'min_free_mb') return undefined;
    return `Now ${formatBytes(storage.free_bytes)} of ${formatBytes(storage.total_bytes)} are free. With less than ${formatBytes(storage.low_below_bytes)} logs wait in their files. Empty: what suits the disk`;
  };
  return (
    <form className={`${styles.box} ${styles.stack}`} onSubmit={submit}>
      {NAMES.map((name) => (
        <Field
          key={name}
          label={NUMBERS[name].label}
          inputMode="numeric"
          value={typed[name] ?? ''}
          onChange={(text) => setTyped((before) => ({ ...before, [name]: text.trim() }))}
          hint={hintOf(name)}
          problem={problemOf(name, typed[name] ?? '')}
          disabled={storage.fixed.some((one) => one === name)}
        />
      ))}
      {save.error === null ? null : <ErrorNote error={save.error} />}
      <div className={styles.actions}>
        <Button
          kind="primary"
          type="submit"
          busy={save.busy}
          disabled={changed.length === 0 || NAMES.some((name) => problemOf(name, typed[name] ?? '') !== undefined)}
        >
          Save
        </Button>
      </div>
    </form>
  );
}

function whatIn({ kind, with_logs }: BackupInfo): string {
  if (kind === 'control') return 'control.db';
  return with_logs ? 'Everything, with logs' : 'Everything but logs';
}

function BackupsSection() {
  const { socket } = useHost();
  const zone = usePreferences((one) => one.zone);
  const { data, error, reload } = useCall('host.backups', {});
  const [withLogs, setWithLogs] = useState(false);
  const make = useAction(async () => {
    const { file, size_bytes } = await socket.call('host.backup', { with_logs: withLogs });
    toastDone(`Backed up: ${file}, ${formatBytes(size_bytes)}`);
    reload();
  });
  return (
    <Section
      title="Backups"
      about="Files in the data folder, readable by you alone. They hold secrets; keep a copy elsewhere."
    >
      <div className={`${styles.box} ${styles.stack}`}>
        <div className={styles.row}>
          <p className={styles.dim}>
            Everything into one file, while bots go on. To put one in place: <code>npx platform restore FILE</code>
          </p>
          <label>
            <input type="checkbox" checked={withLogs} onChange={(event) => setWithLogs(event.target.checked)} /> With
            logs
          </label>
          <Button icon={<Archive aria-hidden="true" />} busy={make.busy} onClick={() => void make.run()}>
            Back up now
          </Button>
        </div>
        {make.error === null ? null : <ErrorNote error={make.error} />}
      </div>
      {error === null ? null : <ErrorNote error={error} />}
      {data === null || data.items.length === 0 ? null : (
        <Table heads={['Made', 'Holds', 'Size', 'File']}>
          {data.items.map((one) => (
            <tr key={one.file}>
              <td className={table.line}>
                <Time at={one.made_at} zone={zone} />
              </td>
              <td className={table.line} data-head="Holds">
                {whatIn(one)}
              </td>
              <td className={table.line} data-head="Size">
                {formatBytes(one.size_bytes)}
              </td>
              <td className={table.code} data-head="File">
                <code>{one.file}</code>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}
