import { parseHost } from './host-header.ts';

/**
 * Name of the cookie that holds a session token; never readable by pages, never sent by other sites. Browsers share cookies
 * among all ports of a machine, and one machine may have several hosts: each port has a cookie of its own. `host`: where the
 * page is, as in the header Host.
 */
export function sessionCookieName(host: string | undefined): string {
  return ofPort('platform_session', host);
}

/** Name of the cookie that recognises a browser at its next log-in; it grants no access. */
export function browserCookieName(host: string | undefined): string {
  return ofPort('platform_browser', host);
}

function ofPort(name: string, host: string | undefined): string {
  const port = parseHost(host ?? '')?.port ?? '';
  return port === '' ? name : `${name}_${port}`;
}
