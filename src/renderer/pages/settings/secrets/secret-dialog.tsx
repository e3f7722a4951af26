import { type FormEvent, useState } from 'react';
import type { SecretClass } from '../../../../contract/secrets.ts';
import { Button } from '../../../components/button.tsx';
import { Choice } from '../../../components/choice.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Field } from '../../../components/field.tsx';
import { useHost } from '../../../data/connection-and-user.ts';
import { toastDone } from '../../../data/toasts.ts';
import { useAction } from '../../../data/use-call.ts';
import styles from '../settings.module.css';

const CLASSES = [
  { value: 'live', label: 'Live', about: 'It moves real money. Keys and assistants cannot use it.' },
  { value: 'paper', label: 'Paper', about: 'It opens a test account.' },
] as const;

/** Stores a secret under a new name, or gives the one that is named a new value. */
export function SecretDialog({
  rotated,
  onClose,
  onChanged,
}: {
  readonly rotated: string | null;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}) {
  const { socket } = useHost();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<SecretClass>('live');
  const [value, setValue] = useState('');
  const save = useAction(async () => {
    const saved =
      rotated === null
        ? await socket.call('secrets.set', { name, class: kind, value })
        : await socket.call('secrets.rotate', { name: rotated, value });
    const users = rotated === null ? [] : saved.used_by;
    toastDone(
      users.length === 0
        ? `${saved.name} is stored`
        : `${saved.name} has a new value: restart ${users.map((bot) => bot.name).join(', ')} to use it`,
    );
    onChanged();
    onClose();
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save.run();
  };
  return (
    <Dialog open={true} title={rotated === null ? 'Add a secret' : `New value of ${rotated}`} onClose={onClose}>
      <form className={styles.stack} onSubmit={submit}>
        {rotated === null ? (
          <>
            <Field
              label="Name"
              value={name}
              onChange={setName}
              hint='Configurations refer to it as {"$secret": "NAME"}'
              required
              maxLength={64}
              autoComplete="off"
            />
            <Choice<SecretClass> label="Class" layout="list" options={CLASSES} value={kind} onChange={setKind} />
          </>
        ) : (
          <p>Programs that run keep the old value until they are restarted.</p>
        )}
        <Field
          label="Value"
          type="password"
          value={value}
          onChange={setValue}
          hint="It is not shown again"
          required
          autoComplete="new-password"
        />
        {save.error === null ? null : <ErrorNote error={save.error} />}
        <div className={styles.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={save.busy}>
            {rotated === null ? 'Store it' : 'Replace it'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
