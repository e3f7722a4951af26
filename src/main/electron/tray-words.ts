import { isActive, isFailing, type KnownBot } from './bot-watch.ts';

/** The tray in words: what its tooltip says and its menu begins with. */
export interface TrayWords {
  readonly failing: readonly KnownBot[];
  readonly active: number;
  readonly summary: string;
}

/** What the tray says of these bots; `isHere` is false while no host runs. */
export function trayWords(bots: readonly KnownBot[], isHere: boolean): TrayWords {
  if (!isHere) return { failing: [], active: 0, summary: 'No host is running' };
  const failing = bots.filter(({ status }) => isFailing(status));
  const running = bots.filter(({ status }) => status === 'running' || status === 'starting').length;
  const summary = `${running} running, ${failing.length} failing`;
  return { failing, active: bots.filter(({ status }) => isActive(status)).length, summary };
}
