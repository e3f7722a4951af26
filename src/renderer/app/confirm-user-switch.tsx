import type { AuthStatus } from '../../contract/account.ts';
import { Button } from '../components/button.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { enter } from '../data/log-in-session.ts';
import { useAction } from '../data/use-call.ts';
import styles from './log-in-gate.module.css';

interface ChooseUserProps {
  readonly who: AuthStatus;
  readonly ticket: string;
  readonly onKeep: () => void;
  readonly onEntered: () => void;
}

/** Asks before a link replaces the logged-in user: any user of the host can make one and have others open it. */
export function ChooseUser({ who, ticket, onKeep, onEntered }: ChooseUserProps) {
  const action = useAction(() => enter(ticket));
  const use = async (): Promise<void> => {
    if (await action.run()) onEntered();
  };
  return (
    <main className={styles.away}>
      <div className={styles.card}>
        <h1>You are logged in as {who.user.name}</h1>
        <p>
          This link logs you in as the user who made it. Use it only if you made it yourself: what you enter afterwards,
          such as the secrets of a bot, belongs to that user.
        </p>
        {action.error === null ? null : <ErrorNote error={action.error} />}
        <div className={styles.answers}>
          <Button kind="primary" autoFocus onClick={onKeep}>
            Stay {who.user.name}
          </Button>
          <Button busy={action.busy} onClick={() => void use()}>
            Log in with the link instead
          </Button>
        </div>
      </div>
    </main>
  );
}
