import { type FormEvent, useState } from 'react';
import type { Role, User } from '../../../contract/account.ts';
import { Button } from '../../components/button.tsx';
import { Choice } from '../../components/choice.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useAction } from '../../data/use-call.ts';
import styles from './settings.module.css';

interface FormProps {
  readonly onClose: () => void;
  readonly onDone: (text: string) => void;
}

const ROLES: readonly { readonly value: Role; readonly label: string; readonly about: string }[] = [
  { value: 'user', label: 'User', about: 'Has bots and keys of their own.' },
  { value: 'owner', label: 'Owner', about: 'Also adds and removes users, and stops the host.' },
];

const NAME_HINT = 'Small letters, digits and . _ -';
const PASSWORD_HINT = 'At least 10 characters';

/** Adds a user; for the next one the fields are empty again. */
export function AddUser({ open, onClose, onDone }: FormProps & { readonly open: boolean }) {
  return (
    <Dialog open={open} title="Add a user" onClose={onClose}>
      <AddForm onClose={onClose} onDone={onDone} />
    </Dialog>
  );
}

function AddForm({ onClose, onDone }: FormProps) {
  const { socket } = useHost();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<Role>('user');
  const add = useAction(async () => {
    await socket.call('users.create', { name, password, role });
    onDone(`${name} was added`);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void add.run();
  };
  return (
    <form className={styles.stack} onSubmit={submit}>
      <Field
        label="Name"
        value={name}
        onChange={(text) => setName(text.toLowerCase())}
        hint={NAME_HINT}
        // Said by the browser when the name is not like that.
        title={`${NAME_HINT}, beginning with a letter or digit`}
        pattern="[a-z0-9][a-z0-9._\-]*"
        maxLength={63}
        autoComplete="off"
        required
      />
      <Field
        label="Password"
        type="password"
        value={password}
        onChange={setPassword}
        hint={PASSWORD_HINT}
        minLength={10}
        autoComplete="new-password"
        required
      />
      <Choice label="Role" layout="list" options={ROLES} value={role} onChange={setRole} />
      {add.error === null ? null : <ErrorNote error={add.error} />}
      <div className={styles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" busy={add.busy}>
          Add user
        </Button>
      </div>
    </form>
  );
}

/** Sets the password of a user. */
export function SetPassword({ user, onClose, onDone }: FormProps & { readonly user: User }) {
  const { socket, who } = useHost();
  const [password, setPassword] = useState('');
  const set = useAction(async () => {
    await socket.call('users.update', { user_id: user.user_id, password });
    onDone(`${user.name} has a new password`);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void set.run();
  };
  return (
    <Dialog open={true} title={`Password of ${user.name}`} onClose={onClose}>
      <form className={styles.stack} onSubmit={submit}>
        <Field
          label="New password"
          type="password"
          value={password}
          onChange={setPassword}
          hint={PASSWORD_HINT}
          minLength={10}
          autoComplete="new-password"
          required
        />
        {user.user_id === who.user.user_id ? null : (
          <p className={styles.note}>All log-ins of {user.name} end and all their keys are revoked.</p>
        )}
        {set.error === null ? null : <ErrorNote error={set.error} />}
        <div className={styles.actions}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={set.busy}>
            Set password
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
