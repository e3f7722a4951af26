import { type FormEvent, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import type { HostError } from '../../data/host-error.ts';
import { logIn } from '../../data/log-in-session.ts';
import { useAction } from '../../data/use-call.ts';
import styles from './sign-in.module.css';

interface SignInProps {
  readonly error: HostError | null;
  /** A session ended here without a log-out. */
  readonly hasEnded: boolean;
  readonly onIn: () => void;
}

/** Log-in: by name and password, or by the link that the command line prints on the machine of the host. */
export function SignIn({ error, hasEnded, onIn }: SignInProps) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const action = useAction(() => logIn(name, password));
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (await action.run()) onIn();
  };
  const shown = action.error ?? error;
  return (
    <main className={styles.page}>
      <form className={styles.card} onSubmit={(event) => void submit(event)}>
        <h1>Bot Platform</h1>
        <p className={styles.how}>
          On the machine of this host no password is needed: <code>npx platform open</code> opens this page logged in.
        </p>
        {hasEnded && shown === null ? (
          <p role="status">Your log-in has ended. Log in again to go on where you were.</p>
        ) : null}
        {shown === null ? null : <ErrorNote error={shown} />}
        <Field label="Name" value={name} onChange={setName} autoComplete="username" required />
        <Field
          label="Password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          required
        />
        <Button kind="primary" type="submit" busy={action.busy}>
          Log in
        </Button>
      </form>
    </main>
  );
}
