/** Scheme of the links that open a place in the desktop window. */
export const SCHEME = 'platform';

const LONGEST = 200;
const NAME = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}';
const WORD = '[a-z][a-z-]{0,30}';

/** Allowed links, matched as a whole, with the dashboard address of each. No other link opens. */
const LINKS: readonly (readonly [RegExp, (...parts: readonly string[]) => string])[] = [
  [/^fleet\/?$/, () => '/'],
  [new RegExp(`^bot/(${NAME})/?$`), (id) => `/bots/${id}`],
  [new RegExp(`^bot/(${NAME})/(${WORD})/?$`), (id, tab) => `/bots/${id}/${tab}`],
  [new RegExp(`^custom-bot/(${NAME})/?$`), (name) => `/custom-bots/${name}`],
  [/^(custom-bots|deploy|connect|settings)\/?$/, (place) => `/${place}`],
  [new RegExp(`^settings/(${WORD})/?$`), (section) => `/settings/${section}`],
];

/**
 * The dashboard address of a link such as `platform://bot/bot_01kx…/logs`; null for anything that is not exactly one of
 * the known links. Any program and any web page can open a link: it may lead to a place and can do nothing there.
 */
export function placeOf(link: string): string | null {
  if (link.length > LONGEST) return null;
  const rest = new RegExp(`^${SCHEME}://(.*)$`).exec(link)?.[1];
  if (rest === undefined) return null;
  for (const [pattern, address] of LINKS) {
    const parts = pattern.exec(rest);
    if (parts !== null) return address(...parts.slice(1));
  }
  return null;
}

/** True if a start argument is a link. The system passes it on as written, so upper and lower case count alike. */
export const isLink = (argument: string): boolean =>
  argument.slice(0, SCHEME.length + 1).toLowerCase() === `${SCHEME}:`;

/** The place of the first link among the arguments of a start; null without one. */
export function placeInArguments(argv: readonly string[]): string | null {
  const link = argv.find(isLink);
  return link === undefined ? null : placeOf(link);
}
