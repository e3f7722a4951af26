import type { Session } from 'electron';
import { PlatformError } from '../../contract/errors.ts';
import { sessionCookieName } from '../../shared/cookie-names.ts';
import { callHost } from './host-client.ts';
import type { LiveHost } from './host-supervisor.ts';

async function isGood(host: LiveHost, token: string): Promise<boolean> {
  try {
    await callHost({ url: host.url, token }, 'auth.status', {});
    return true;
  } catch (error) {
    if (error instanceof PlatformError && error.status === 401) return false;
    throw error;
  }
}

/**
 * Logs the window in as the local owner, by the single-use link that `platform open` makes; a valid session stays, even
 * another user's. Pages cannot read the cookie.
 */
export async function logIn(session: Session, host: LiveHost, origin: string): Promise<void> {
  const name = sessionCookieName(new URL(origin).host);
  const known = await session.cookies.get({ url: origin, name });
  for (const { value } of known) if (await isGood(host, value)) return;
  const link = await callHost(host, 'auth.link', {});
  const ticket = new URLSearchParams(new URL(link.url).hash.slice(1)).get('enter') ?? '';
  const { token, expires_at } = await callHost({ url: host.url, token: null }, 'auth.enter', { ticket });
  // The host leaves it out for pages only.
  if (token === undefined) throw new PlatformError('INTERNAL', 'The host gave no session to the desktop app');
  await session.cookies.set({
    url: origin,
    name,
    value: token,
    path: '/',
    httpOnly: true,
    secure: origin.startsWith('https:'),
    sameSite: 'strict',
    expirationDate: Math.floor(Date.parse(expires_at) / 1000),
  });
}
