import type { AuthStatus } from '../../contract/account.ts';
import { setClock } from '../host-clock.ts';
import { HostError, toHostError } from './host-error.ts';

/** Sends one request over HTTP, before there is a connection. */
async function request<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  let answer: Response;
  const asked = Date.now();
  try {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    answer = await fetch(path, { method, headers: { 'content-type': 'application/json' }, ...json });
  } catch (error) {
    throw new HostError({
      code: 'CONNECTION_LOST',
      message: 'The host does not answer',
      hint: 'Start it again with `npx platform start`; this page goes on by itself.',
      details: error instanceof Error ? error.message : null,
      request_id: null,
    });
  }
  setClock(answer.headers.get('date'), asked, Date.now());
  const text = await answer.text();
  const parsed: unknown = JSON.parse(text);
  if (answer.ok) return parsed as T;
  throw isErrorAnswer(parsed) ? new HostError(parsed.error) : toHostError(text);
}

function isErrorAnswer(value: unknown): value is { error: ConstructorParameters<typeof HostError>[0] } {
  return typeof value === 'object' && value !== null && 'error' in value;
}

/** The user of this page; null without a log-in. */
export async function readSession(): Promise<AuthStatus | null> {
  try {
    return await request<AuthStatus>('GET', '/api/v1/auth');
  } catch (error) {
    if (isLoggedOut(error)) return null;
    throw error;
  }
}

function isLoggedOut(error: unknown): boolean {
  const { code } = toHostError(error);
  return code === 'AUTHENTICATION_REQUIRED' || code === 'INVALID_API_KEY';
}

/** Logs in with a name and password; the host answers with a cookie that pages cannot read. */
export async function logIn(name: string, password: string): Promise<void> {
  await request('POST', '/api/v1/auth/login', { name, password });
}

/** Logs in with the ticket of a link that the host or its command line has printed. */
export async function enter(ticket: string): Promise<void> {
  await request('POST', '/api/v1/auth/enter', { ticket });
}

let leaving = false;

/** True once the user has chosen to log out. */
export const isLeaving = (): boolean => leaving;

/** Ends the session; an ended one counts as success. */
export async function logOut(): Promise<void> {
  leaving = true;
  try {
    await request('POST', '/api/v1/auth/logout', {});
  } catch (error) {
    if (isLoggedOut(error)) return;
    leaving = false;
    throw error;
  }
}
