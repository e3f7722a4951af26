import { useCallback, useEffect, useRef, useState } from 'react';
import { Router } from 'wouter';
import type { AuthStatus } from '../../contract/account.ts';
import { ErrorNote } from '../components/error-note.tsx';
import { type Host, HostProvider } from '../data/connection-and-user.ts';
import { enter, isLeaving, readSession } from '../data/log-in-session.ts';
import { takeEnded, tellEnded } from '../data/session-ended.ts';
import { connect, type Ending } from '../data/socket.ts';
import { SignIn } from '../pages/sign-in/sign-in.tsx';
import { ChooseUser } from './confirm-user-switch.tsx';
import { Entrance, type Entry } from './establish-session.ts';
import { aroundNav, Leaving } from './leaving.tsx';
import styles from './log-in-gate.module.css';
import { Shell } from './shell.tsx';

type State = { readonly at: 'looking' } | Entry;

const AGAIN_MS = 1500;

/** The ticket of a log-in link (`/#enter=…`); it leaves the address at once, because it works only once. */
function takeTicket(): string | null {
  const ticket = new URLSearchParams(window.location.hash.slice(1)).get('enter');
  if (ticket !== null) window.history.replaceState(null, '', window.location.pathname + window.location.search);
  return ticket;
}

/** Lets a person in: everything else of the dashboard lies behind it. */
export function LogInGate() {
  const [state, setState] = useState<State>({ at: 'looking' });
  const [hasEnded] = useState(takeEnded);
  const host = useRef<Host | null>(null);
  const entrance = useRef<Entrance | null>(null);
  entrance.current ??= new Entrance({ readSession, enter });
  const looking = useRef(false);
  const asked = useRef(false);
  const look = useCallback(async (): Promise<void> => {
    if (looking.current || entrance.current === null) return;
    looking.current = true;
    let next: Entry;
    do {
      asked.current = false;
      next = await entrance.current.look();
    } while (asked.current);
    looking.current = false;
    const before = host.current;
    if (next.at === 'sign in') before?.socket.close();
    if (next.at === 'in') {
      if (before !== null && (before.socket.isClosed || !isSame(before.who, next.who))) {
        beginAnew(before, 'changed');
        return;
      }
      host.current ??= { who: next.who, socket: connect() };
    }
    setState(next);
  }, []);
  useEffect(() => {
    const arrive = (): void => {
      const ticket = takeTicket();
      if (ticket === null) return;
      entrance.current?.take(ticket);
      asked.current = true;
      void look();
    };
    arrive();
    void look();
    // A link opened in a tab that shows the dashboard causes no load.
    window.addEventListener('hashchange', arrive);
    return () => window.removeEventListener('hashchange', arrive);
  }, [look]);
  useEffect(() => {
    if (state.at === 'away') {
      const timer = setTimeout(() => void look(), AGAIN_MS);
      return () => clearTimeout(timer);
    }
    const here = host.current;
    if (here === null) return;
    return here.socket.onLink(() => {
      if (!here.socket.isClosed) void recheck(here);
    });
  }, [state, look]);
  switch (state.at) {
    case 'looking':
      return null;
    case 'sign in':
      return <SignIn error={state.error} hasEnded={hasEnded} onIn={() => void look()} />;
    case 'away':
      return (
        <main className={styles.away}>
          <ErrorNote error={state.error} />
        </main>
      );
    case 'choose':
      return (
        <ChooseUser
          who={state.who}
          ticket={state.ticket}
          onKeep={() => void look()}
          onEntered={() => window.location.reload()}
        />
      );
    case 'in':
      if (host.current === null) return null;
      return (
        <HostProvider value={host.current}>
          <Router aroundNav={aroundNav}>
            <Shell />
            <Leaving />
          </Router>
        </HostProvider>
      );
  }
}

const isSame = (one: AuthStatus, other: AuthStatus): boolean =>
  one.user.user_id === other.user.user_id && one.user.role === other.user.role;

/** Clears everything that this page holds, before another user comes. */
function beginAnew({ socket }: Host, why: Ending): void {
  socket.close(why);
  window.location.reload();
}

/**
 * Checks after a lost connection whether the session has ended, or belongs to another user who has logged in elsewhere
 * in this browser.
 */
async function recheck(host: Host): Promise<void> {
  try {
    const now = await readSession();
    if (now === null && !isLeaving()) tellEnded();
    if (now === null) beginAnew(host, 'ended');
    else if (!isSame(host.who, now)) beginAnew(host, 'changed');
  } catch {
    // The host is away: the socket keeps trying, and the page says so. A refused page gets no further news, so it asks again.
    if (host.socket.link === 'refused') setTimeout(() => void recheck(host), AGAIN_MS);
  }
}
