import { needsYou } from '../../shared/health.ts';
import { isActive, type KnownBot } from './bot-watch.ts';

/** Texts of the tray: its tooltip, and the first entries of its menu. */
export interface TrayWords {
  readonly failing: readonly KnownBot[];
  /** Bots that run or may start by themselves: what a panic stops. */
  readonly stoppable: number;
  readonly summary: string;
}

/** Returns the tray's summary of these bots; `isHere` is false while no host runs. */
export function trayWords(bots: readonly KnownBot[], isHere: boolean): TrayWords {
  if (!isHere) return { failing: [], stoppable: 0, summary: 'No host is running' };
  const failing = bots.filter(({ status, health }) => needsYou(status, health));
  const running = bots.filter(({ status }) => status === 'running' || status === 'starting').length;
  const need = failing.length === 1 ? '1 needs you' : `${failing.length} need you`;
  const summary = failing.length === 0 ? `${running} running` : `${running} running, ${need}`;
  const stoppable = bots.filter(({ status }) => isActive(status) || status === 'scheduled').length;
  return { failing, stoppable, summary };
}
