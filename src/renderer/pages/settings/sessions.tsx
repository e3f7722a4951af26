import { useState } from 'react';
import type { SessionInfo, User } from '../../../contract/account.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Section } from '../../components/section.tsx';
import { SessionTable } from '../../components/session-table.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { clientWords } from '../../data/client-words.ts';
import { useHost } from '../../data/connection-and-user.ts';
import { usePreferences } from '../../data/preferences.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import styles from './settings.module.css';

/** The log-ins of this user, or of another one for an owner. */
function Sessions({ of }: { readonly of: Pick<User, 'user_id'> | null }) {
  const { socket } = useHost();
  const zone = usePreferences((one) => one.zone);
  const called = useCall('sessions.list', of === null ? {} : { user_id: of.user_id });
  const end = (session: SessionInfo): void => {
    socket.call('sessions.end', { session_id: session.session_id }).then(
      () => {
        toastDone('The log-in was ended');
        called.reload();
      },
      (thrown) => toastFailed('The log-in could not be ended', thrown),
    );
  };
  if (called.error !== null) return <ErrorNote error={called.error} />;
  if (called.data === null) return <Skeleton />;
  if (called.data.items.length === 0) return <p className={styles.note}>There are no log-ins.</p>;
  const others = called.data.items.filter(({ current }) => !current).length;
  return (
    <>
      <SessionTable sessions={called.data.items} zone={zone} clientWords={clientWords} onEnd={end} />
      {of === null && others > 1 ? <EndOthers count={others} onEnded={called.reload} /> : null}
    </>
  );
}

/** Ends every log-in of this user but that of this page. */
function EndOthers({ count, onEnded }: { readonly count: number; readonly onEnded: () => void }) {
  const { socket } = useHost();
  const [asks, setAsks] = useState(false);
  const end = useAction(async () => {
    const { ended } = await socket.call('sessions.end_others', {});
    setAsks(false);
    toastDone(ended === 1 ? '1 log-in was ended' : `${ended} log-ins were ended`);
    onEnded();
  });
  return (
    // The section would stretch the button.
    <div>
      <Button onClick={() => setAsks(true)}>End all others</Button>
      <Confirm
        open={asks}
        title={`End ${count} other log-ins?`}
        label="End them"
        busy={end.busy}
        error={end.error}
        onConfirm={() => void end.run()}
        onCancel={() => setAsks(false)}
      >
        Every other browser and program that is logged in as you must log in again. Keys stay as they are.
      </Confirm>
    </div>
  );
}

/** The own log-ins, beside the keys of the account. */
export function SessionsSection() {
  return (
    <Section
      title="Log-ins"
      about="Browsers and programs that are logged in as you, for 30 days each. End those that you do not know, and change your password."
    >
      <Sessions of={null} />
    </Section>
  );
}

/** The log-ins of another user. */
export function SessionsOf({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  return (
    <Dialog open={true} title={`Log-ins of ${user.name}`} onClose={onClose}>
      <Sessions of={user} />
    </Dialog>
  );
}
