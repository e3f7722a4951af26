import { LogIn, RefreshCw, WifiOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { DesktopHost } from '../../contract/desktop-bridge.ts';
import { hintHere } from '../../shared/npx-command.ts';
import { Ticked } from '../components/backtick-text.tsx';
import { Button } from '../components/button.tsx';
import { Since, Time } from '../components/time.tsx';
import { useHost, useLink } from '../data/connection-and-user.ts';
import { desktopApp, useDesktopHost } from '../data/desktop.ts';
import { usePreferences } from '../data/preferences.ts';
import type { Ending } from '../data/socket.ts';
import { toastDone } from '../data/toasts.ts';
import styles from './bar.module.css';

/** A restarting host is back within this time; a bar that flashes would only distract. */
const PATIENCE_MS = 400;

/** Returns the desktop app's account of the host's absence; null where it knows no more than this page. */
function toldByApp(host: DesktopHost | null): { readonly words: string; readonly start: string | null } | null {
  switch (host?.at) {
    case 'restarting': {
      const again = `It is started again (attempt ${host.attempt}).`;
      return { words: `Its process ended unexpectedly. ${again} Bots that ran go on meanwhile.`, start: null };
    }
    case 'away':
      return { words: 'It was started outside of this app and has ended.', start: 'Start it here' };
    case 'stopped':
      return { words: 'A command has stopped it.', start: 'Start it' };
    case 'failed':
      return { words: `It could not start: ${host.message} ${host.hint ?? ''}`, start: 'Start it' };
    default:
      return null;
  }
}

/** For a user who stayed with their typed text on a page whose session has ended. */
function EndedBar({ why }: { readonly why: Ending }) {
  return (
    <div className={styles.bar}>
      <LogIn className={styles.icon} aria-hidden="true" />
      <p className={styles.words}>
        <strong>
          {why === 'ended' ? 'Your log-in has ended' : 'Your role has changed, or another user has logged in'}
        </strong>
        , so nothing here can be saved. Copy what you do not want to lose.
      </p>
      <Button onClick={() => window.location.reload()}>
        {why === 'ended' ? 'Log in again' : 'Load this page again'}
      </Button>
    </div>
  );
}

/** Bar that is shown while the host is away and says since when; it disappears by itself. */
export function ConnectionBar() {
  const { socket } = useHost();
  const link = useLink();
  const told = toldByApp(useDesktopHost());
  const zone = usePreferences((one) => one.zone);
  const [since, setSince] = useState<string | null>(null);
  const [shown, setShown] = useState(false);
  const wasShown = useRef(false);
  useEffect(
    () => socket.onLink((now) => setSince((before) => (now === 'open' ? null : (before ?? new Date().toISOString())))),
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
      {shown && (link === 'ended' || link === 'changed') ? (
        <EndedBar why={link} />
      ) : shown && since !== null ? (
        <div className={styles.bar}>
          <WifiOff className={styles.icon} aria-hidden="true" />
          <p className={styles.words}>
            <strong>The host does not answer</strong> since <Time at={since} zone={zone} />{' '}
            <span aria-hidden="true">
              (<Since at={since} />)
            </span>
            . {told === null ? null : <Ticked text={hintHere(told.words)} />} This page goes on by itself when it is
            back.{' '}
            {told === null ? (
              <>
                Was it stopped? <code>npx platform start</code>
              </>
            ) : null}
          </p>
          {told === null ? (
            <Button icon={<RefreshCw aria-hidden="true" />} onClick={() => socket.open()}>
              Try now
            </Button>
          ) : null}
          {told?.start ? <Button onClick={() => void desktopApp()?.startHost()}>{told.start}</Button> : null}
        </div>
      ) : null}
    </div>
  );
}
