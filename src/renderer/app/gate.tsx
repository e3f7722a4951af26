import { useCallback, useEffect, useState } from 'react';
import { Router } from 'wouter';
import { connect, enter, type Host, HostProvider, readSession } from '../data/host.ts';
import { type HostError, toHostError } from '../data/host-error.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { SignIn } from '../places/sign-in/sign-in.tsx';
import styles from './gate.module.css';
import { aroundNav, Leaving } from './leaving.tsx';
import { Shell } from './shell.tsx';

type State =
  | { readonly at: 'looking' }
  | { readonly at: 'sign in'; readonly error: HostError | null }
  | { readonly at: 'away'; readonly error: HostError }
  | { readonly at: 'in'; readonly host: Host };

const AGAIN_MS = 1500;

/** The ticket of a log-in link (`/#enter=…`); it leaves the address at once, because it works only once. */
function takeTicket(): string | null {
  const ticket = new URLSearchParams(window.location.hash.slice(1)).get('enter');
  if (ticket !== null) window.history.replaceState(null, '', window.location.pathname + window.location.search);
  return ticket;
}

async function look(): Promise<State> {
  try {
    const ticket = takeTicket();
    if (ticket !== null) await enter(ticket);
  } catch (thrown) {
    if ((await readSession()) === null) return { at: 'sign in', error: toHostError(thrown) };
  }
  try {
    const who = await readSession();
    return who === null ? { at: 'sign in', error: null } : { at: 'in', host: { who, socket: connect() } };
  } catch (thrown) {
    return { at: 'away', error: toHostError(thrown) };
  }
}

/** Lets a person in: everything else of the dashboard lies behind it. */
export function Gate() {
  const [state, setState] = useState<State>({ at: 'looking' });
  const again = useCallback(() => void look().then(setState), []);
  useEffect(again, [again]);
  useEffect(() => {
    if (state.at === 'away') {
      const timer = setTimeout(again, AGAIN_MS);
      return () => clearTimeout(timer);
    }
    if (state.at !== 'in') return;
    return state.host.socket.onLink((link) => link === 'lost' && void recheck(setState));
  }, [state, again]);
  if (state.at === 'looking') return null;
  if (state.at === 'sign in') return <SignIn error={state.error} onIn={again} />;
  if (state.at === 'away') {
    return (
      <main className={styles.away}>
        <ErrorNote error={state.error} />
      </main>
    );
  }
  return (
    <HostProvider value={state.host}>
      <Router aroundNav={aroundNav}>
        <Shell onOut={() => setState({ at: 'sign in', error: null })} />
        <Leaving />
      </Router>
    </HostProvider>
  );
}

/** A lost connection may mean that the session has ended: then nothing but a log-in helps. */
async function recheck(setState: (state: State) => void): Promise<void> {
  try {
    if ((await readSession()) === null) setState({ at: 'sign in', error: null });
  } catch {
    // The host is away; the socket stays at it and the page says so.
  }
}
