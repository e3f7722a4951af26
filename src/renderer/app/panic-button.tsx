import { OctagonX } from 'lucide-react';
import { useState } from 'react';
import { Confirm } from '../components/confirm.tsx';
import { useHost } from '../data/connection-and-user.ts';
import { toastDone, toastFailed } from '../data/toasts.ts';
import { useAction } from '../data/use-call.ts';
import styles from './shell.module.css';

/** Stops all bots at once, after one question; each is held until a person starts it again. */
export function PanicButton() {
  const { socket, who } = useHost();
  const [isAsking, setAsking] = useState(false);
  const panic = useAction(async () => {
    const { items } = await socket.call('bots.panic', {});
    setAsking(false);
    const failed = items.filter(({ stopped }) => !stopped);
    for (const { name, problem } of failed) toastFailed(`${name} was not stopped`, new Error(problem ?? ''));
    if (failed.length < items.length)
      toastDone(`${items.length - failed.length} bots were told to end. Positions stay open.`);
  });
  if (who.scope === 'read') return null;
  return (
    <>
      <button
        type="button"
        className={styles.tool}
        title="Panic: stop all bots"
        aria-label="Panic"
        onClick={() => setAsking(true)}
      >
        <OctagonX aria-hidden={true} />
      </button>
      <Confirm
        open={isAsking}
        title="Stop all bots now?"
        label="Stop all"
        busy={panic.busy}
        error={panic.error}
        onConfirm={() => void panic.run()}
        onCancel={() => setAsking(false)}
      >
        {who.user.role === 'owner' ? 'All bots of this host end, those of other users too.' : 'All your bots end.'} Each
        stays stopped until a person starts it again. Positions at your exchange stay open.
      </Confirm>
    </>
  );
}
