import { type FormEvent, useState } from 'react';
import type { VaultInfo } from '../../../../contract/secrets.ts';
import { Button } from '../../../components/button.tsx';
import { CodeBlock } from '../../../components/code-block.tsx';
import { Confirm } from '../../../components/confirm.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Field } from '../../../components/field.tsx';
import { Section } from '../../../components/section.tsx';
import { Ago } from '../../../components/time.tsx';
import { useHost } from '../../../data/connection-and-user.ts';
import { toastDone } from '../../../data/toasts.ts';
import { useAction } from '../../../data/use-call.ts';
import styles from '../settings.module.css';

/** Seven groups to a line, as they are written down. */
const inLines = (key: string): string => key.replaceAll(/((?:\w{4}-){6}\w{4})-/g, '$1\n');

/** Shows the recovery key, once. */
function ShowRecoveryKey({ onChanged }: { readonly onChanged: () => void }) {
  const { socket } = useHost();
  const [asks, setAsks] = useState(false);
  const [shown, setShown] = useState<string | null>(null);
  const show = useAction(async () => {
    setShown((await socket.call('secrets.recovery_key', {})).recovery_key);
    setAsks(false);
  });
  const close = (): void => {
    setShown(null);
    onChanged();
  };
  return (
    <>
      <Button onClick={() => setAsks(true)}>Show the recovery key</Button>
      <Confirm
        open={asks}
        title="Show the recovery key?"
        label="Show it"
        busy={show.busy}
        error={show.error}
        onConfirm={() => void show.run()}
        onCancel={() => setAsks(false)}
      >
        <p>It is shown once. Have paper or your password manager ready.</p>
      </Confirm>
      <Dialog open={shown !== null} title="Recovery key" onClose={close}>
        <div className={styles.stack}>
          <p>
            Write it down now: it is not shown again. Whoever has it and a copy of the data can read every secret, so
            keep it away from the backups.
          </p>
          <CodeBlock text={inLines(shown ?? '')} label="Recovery key" />
          <div className={styles.actions}>
            <Button kind="primary" onClick={close}>
              Done
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  );
}

/** Gives the recovery key to a host whose secrets are sealed. */
function RestoreKey({ onChanged }: { readonly onChanged: () => void }) {
  const { socket } = useHost();
  const [open, setOpen] = useState(false);
  const [written, setWritten] = useState('');
  const restore = useAction(async () => {
    const { started, waiting } = await socket.call('secrets.restore_key', { recovery_key: written });
    const names = (bots: readonly { readonly name: string }[]): string => bots.map(({ name }) => name).join(', ');
    const parts = ['Secrets open here now'];
    if (started.length > 0) parts.push(`${names(started)} started`);
    if (waiting.length > 0) parts.push(`${names(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for you`);
    toastDone(parts.join('. '));
    setOpen(false);
    onChanged();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void restore.run();
  };
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        Give the recovery key
      </Button>
      <Dialog open={open} title="Give the recovery key" onClose={() => setOpen(false)}>
        <form className={styles.stack} onSubmit={submit}>
          <Field
            label="Recovery key"
            value={written}
            onChange={setWritten}
            hint="14 groups of four letters and digits"
            required
            autoComplete="off"
          />
          {restore.error === null ? null : <ErrorNote error={restore.error} />}
          <div className={styles.actions}>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button kind="primary" type="submit" busy={restore.busy}>
              Open the secrets
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}

/** Makes another key. */
function NewKey({ vault, onChanged }: { readonly vault: VaultInfo; readonly onChanged: () => void }) {
  const { socket } = useHost();
  const [asks, setAsks] = useState(false);
  const make = useAction(async () => {
    await socket.call('secrets.new_key', {});
    setAsks(false);
    onChanged();
  });
  return (
    <>
      <Button onClick={() => setAsks(true)}>Make a new key</Button>
      <Confirm
        open={asks}
        title="Make a new key?"
        label="Make it"
        busy={make.busy}
        error={make.error}
        onConfirm={() => void make.run()}
        onCancel={() => setAsks(false)}
      >
        <p>
          {vault.open
            ? 'Every secret is sealed with the new key. It has a recovery key of its own; the old one opens older backups only.'
            : 'Secrets that were sealed with the missing key do not open with the new one, and must be given again.'}
        </p>
      </Confirm>
    </>
  );
}

/** The key that seals the secrets of this host, for its owner. */
export function VaultKeySection({ vault, onChanged }: { readonly vault: VaultInfo; readonly onChanged: () => void }) {
  const { open, key_id, recovery_key_shown_at: shownAt } = vault;
  return (
    <Section
      title="Key"
      about="Secrets are sealed with a key outside of the data folder, which is in no backup. On another machine they open with the recovery key."
    >
      {open ? (
        <p className={styles.note}>
          The key {key_id} is on this machine. Its recovery key{' '}
          {shownAt === null ? 'was not shown yet: without it, backups open nowhere else.' : 'was shown '}
          {shownAt === null ? null : <Ago at={shownAt} />}
        </p>
      ) : (
        <p role="alert" className={styles.warn}>
          The key {key_id} is not on this machine, so no secret opens here. Nothing is lost: give the recovery key, or
          copy the key file from the old machine.
        </p>
      )}
      <div className={styles.actions}>
        {open ? null : <RestoreKey onChanged={onChanged} />}
        {open && shownAt === null ? <ShowRecoveryKey onChanged={onChanged} /> : null}
        {open && shownAt === null ? null : <NewKey vault={vault} onChanged={onChanged} />}
      </div>
    </Section>
  );
}
