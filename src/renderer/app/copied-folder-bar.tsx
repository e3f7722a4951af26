import { FolderSymlink } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { FormerPlace, PlaceInfo } from '../../contract/host.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/confirm.tsx';
import { useHost } from '../data/connection-and-user.ts';
import { toastDone } from '../data/toasts.ts';
import { useAction, useCall } from '../data/use-call.ts';
import styles from './bar.module.css';

/** Interval of reading the place from the host, in ms: another page, or the command line, may confirm the move of the folder. */
const LOOK_MS = 15_000;

const botsOf = (count: number): string => (count === 1 ? '1 bot' : `${count} bots`);

const whenceOf = (from: readonly FormerPlace[]): string =>
  from.length === 0 ? '' : ` from ${from.map(({ path }) => path).join(', then ')}`;

/** Former places of the data folder for which the host cannot tell by itself, before the bots start, whether they are in use. */
function Unseen({ from }: { from: readonly FormerPlace[] }) {
  const unseen = from.flatMap(({ path, unseen: why }) => (why === null ? [] : [`${path} (${why})`]));
  return unseen.length === 0 ? null : (
    <p>The host cannot tell whether another one runs on {unseen.join(', or on ')}. Look yourself.</p>
  );
}

function Words({ from, waiting }: Pick<PlaceInfo, 'from' | 'waiting'>) {
  if (from === null || waiting === null) {
    return (
      <>
        <strong>The data folder of this host was copied or moved.</strong> Bots wait until its owner says that it has
        moved here.
      </>
    );
  }
  return (
    <>
      <strong>This data folder was copied or moved here{whenceOf(from)}.</strong>{' '}
      {waiting === 1
        ? '1 bot waits, because it may still run there.'
        : `${waiting} bots wait, because they may still run there.`}
    </>
  );
}

/** Bar that says that the data folder was copied or moved, and that bots wait until the owner says that it has moved here. */
export function CopiedBar() {
  const { who, socket } = useHost();
  const { data, reload } = useCall('host.get', {});
  const [asks, setAsks] = useState(false);
  const place = data?.place;
  const isCopied = place?.state === 'copied';
  useEffect(() => {
    if (!isCopied) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [isCopied, reload]);
  const move = useAction(async () => {
    const { started } = await socket.call('host.moved_here', {});
    setAsks(false);
    toastDone(`The folder belongs here now. ${botsOf(started)} started.`);
    reload();
  });
  return (
    <div role="status" aria-live="polite">
      {isCopied ? (
        <div className={styles.bar}>
          <FolderSymlink className={styles.icon} aria-hidden="true" />
          <p className={styles.words}>
            <Words from={place.from} waiting={place.waiting} />
          </p>
          {who.user.role === 'owner' ? <Button onClick={() => setAsks(true)}>It has moved here</Button> : null}
          <Confirm
            open={asks}
            title="Start the waiting bots here?"
            label="Start them here"
            busy={move.busy}
            error={move.error}
            onConfirm={() => void move.run()}
            onCancel={() => {
              move.clear();
              setAsks(false);
            }}
          >
            <p>A bot that still runs in the original folder would trade twice. Stop that host first.</p>
            <Unseen from={place.from ?? []} />
          </Confirm>
        </div>
      ) : null}
    </div>
  );
}
