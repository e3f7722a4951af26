import { DESCRIPTORS } from '../../runtimes/all.ts';
import { BY_PACKAGE } from '../../runtimes/runtime.ts';

/**
 * Sites that a click may open in the browser: those to which our own texts send people. A link from elsewhere (a readme, a line
 * of a log) shows its address instead, to be copied by a reader who trusts it.
 */
export const SITES: ReadonlySet<string> = new Set(
  DESCRIPTORS.flatMap(({ interpreter }) =>
    interpreter === null || interpreter === BY_PACKAGE ? [] : [interpreter.site],
  ),
);

/** True if the app may hand an address to the system's browser: https, a known site, its usual port, and no log-in in it. */
export function isTrustedLink(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, port, username, password } = new URL(address);
  return protocol === 'https:' && SITES.has(hostname) && port === '' && username === '' && password === '';
}
