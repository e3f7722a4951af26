import { RefreshCw, WifiOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useHost } from '../data/host.ts';
import { usePreferences } from '../data/preferences.ts';
import { toastDone } from '../data/toasts.ts';
import { Button } from '../parts/button.tsx';
import { Since, Time } from '../parts/time.tsx';
import styles from './link-bar.module.css';

/** A host that starts anew is back within this time; a bar that comes and goes would only be noise. */
const PATIENCE_MS = 400;

/** Says that the host is away and since when, for as long as it is; the page goes on by itself. */
export function LinkBar() {
  const { socket } = useHost();
  const zone = usePreferences((one) => one.zone);
  const [since, setSince] = useState<string | null>(null);
  const [shown, setShown] = useState(false);
  const wasShown = useRef(false);
  useEffect(
    () =>
      socket.onLink((link) => setSince((before) => (link === 'open' ? null : (before ?? new Date().toISOString())))),
    [socket],
  );
  useEffect(() => {
    if (since === null) {
      setShown(false);
      if (wasShown.current) toastDone('The host is back');
      wasShown.current = false;
      return;
    }
    const timer = setTimeout(() => {
      wasShown.current = true;
      setShown(true);
    }, PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [since]);
  useEffect(() => {
    const online = (): void => {
      if (socket.link !== 'open') socket.open();
    };
    window.addEventListener('online', online);
    return () => window.removeEventListener('online', online);
  }, [socket]);
  return (
    <div role="status" aria-live="polite">
      {shown && since !== null ? (
        <div className={styles.bar}>
          <WifiOff className={styles.icon} aria-hidden="true" />
          <p className={styles.words}>
            <strong>The host does not answer</strong> since <Time at={since} zone={zone} />{' '}
            <span aria-hidden="true">
              (<Since at={since} />)
            </span>
            . This page goes on by itself when it is back. Was it stopped? <code>npx platform start</code>
          </p>
          <Button icon={<RefreshCw aria-hidden="true" />} onClick={() => socket.open()}>
            Try now
          </Button>
        </div>
      ) : null}
    </div>
  );
}
