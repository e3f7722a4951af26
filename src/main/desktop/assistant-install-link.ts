import { ASSISTANTS, assistantTitle, setupOf } from '../../shared/assistants.ts';

/** A link that puts the host on the list of servers of an assistant. */
export interface InstallLink {
  /** Name of the program that opens it, for people. */
  readonly program: string;
  readonly link: string;
}

const MACHINE = { os: '', home: '', env: {} };

/**
 * The links that the place "Connect an assistant" shows for a host: one for each program that has such links, and for each set
 * of tools. `keyId`: the public id of the key for which the program asks.
 */
function linksFor(origin: string, keyId: string | null): InstallLink[] {
  return ASSISTANTS.flatMap((name) =>
    [false, true].flatMap((extended) => {
      const reach = { url: origin, extended, program: [], typed: [], arguments: [], machine: MACHINE };
      const { link } = setupOf(name, reach, null, keyId);
      return link === null ? [] : [{ program: assistantTitle(name), link: new URL(link).href }];
    }),
  );
}

/**
 * The install link that an address is, letter by letter, for the dashboard of this origin; null for any other. Such a link
 * can make its program start commands, so one that a bot or an assistant wrote must never pass for ours.
 */
export function installLinkOf(address: string, origin: string | null): InstallLink | null {
  if (origin === null || !URL.canParse(address)) return null;
  const { href } = new URL(address);
  const keyId = /-key-([0-9a-z]{12})\b/.exec(href)?.[1] ?? null;
  return linksFor(origin, keyId).find(({ link }) => link === href) ?? null;
}
