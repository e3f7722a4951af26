import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useAction } from '../../data/use-call.ts';
import styles from './settings.module.css';

interface ChangeProps {
  /** False: there is no old one to ask for. */
  readonly hasPassword: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Changes the user's password; it is typed twice, because the field hides it. */
export function ChangePassword({ hasPassword, onClose, onDone }: ChangeProps) {
  const { socket } = useHost();
  const [old, setOld] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const change = useAction(async () => {
    const known = hasPassword ? { old_password: old } : {};
    await socket.call('auth.password', { ...known, new_password: next });
    onDone();
  });
  const differs = again !== '' && again !== next;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (again === next) void change.run();
  };
  return (
    <Dialog open={true} title={hasPassword ? 'Change your password' : 'Set a password'} onClose={onClose}>
      <form className={styles.stack} onSubmit={submit}>
        {hasPassword ? (
          <Field
            label="Old password"
            type="password"
            value={old}
            onChange={setOld}
            autoComplete="current-password"
            required
          />
        ) : null}
        <Field
          label="New password"
          type="password"
          value={next}
          onChange={setNext}
          hint="At least 10 characters"
          minLength={10}
          autoComplete="new-password"
          required
        />
        <Field
          label="New password again"
          type="password"
          value={again}
          onChange={setAgain}
          problem={differs ? 'The two differ' : undefined}
          autoComplete="new-password"
          required
        />
        <p className={styles.dim}>Other browsers that are logged in as you must log in again. Keys stay.</p>
        {change.error === null ? null : <ErrorNote error={change.error} />}
        <div className={styles.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={next === '' || again !== next} busy={change.busy}>
            {hasPassword ? 'Change password' : 'Set password'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
