const PRODUCT = 'Bot Platform';

/** The title of the tab: the number of bots that need attention, and on the page of a bot its name, with LIVE if it is armed. */
export function tabTitle(count: number, bot: { readonly name: string; readonly isLive: boolean } | null): string {
  const page = bot === null ? PRODUCT : `${bot.isLive ? 'LIVE ' : ''}${bot.name} · ${PRODUCT}`;
  return count === 0 ? page : `(${count}) ${page}`;
}
