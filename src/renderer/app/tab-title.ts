const PRODUCT = 'Bot Platform';

/** The title of the tab: the number of bots that need attention, and on the page of a bot its name. */
export function tabTitle(count: number, botName: string | null): string {
  const page = botName === null ? PRODUCT : `${botName} · ${PRODUCT}`;
  return count === 0 ? page : `(${count}) ${page}`;
}
