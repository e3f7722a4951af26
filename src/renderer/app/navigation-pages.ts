import { Activity, ChartLine, ClipboardCheck, Package, Plug, Rocket, Settings, SquarePen } from 'lucide-react';
import type { ComponentType } from 'react';

/** A page of the dashboard: its link at the side, its command in the palette, and the key that leads there after `g`. */
export interface NavigationPage {
  readonly path: string;
  readonly label: string;
  readonly icon: ComponentType<{ readonly 'aria-hidden': true }>;
  readonly key: string;
  /** Name in the sheet of shortcuts, where the label says too little. */
  readonly inSheet?: string;
  /** Further words that find it in the palette. */
  readonly also?: string;
  /** Stands at the side only while something waits for the user, with the number of it. */
  readonly counts?: 'waiting';
}

export const PAGES: readonly NavigationPage[] = [
  { path: '/', label: 'Fleet', icon: Activity, key: 'f' },
  {
    path: '/waiting',
    label: 'Waiting for you',
    icon: ClipboardCheck,
    key: 'w',
    also: 'approve approvals arm reject changes',
    counts: 'waiting',
  },
  { path: '/portfolio', label: 'Portfolio', icon: ChartLine, key: 'p', also: 'profit equity positions ledger money' },
  { path: '/custom-bots', label: 'Custom bots', icon: Package, key: 'c' },
  { path: '/editor', label: 'Editor', icon: SquarePen, key: 'e' },
  { path: '/deploy', label: 'Deploy', icon: Rocket, key: 'd', inSheet: 'Deploy a bot', also: 'new create' },
  { path: '/connect', label: 'Assistants', icon: Plug, key: 'a', inSheet: 'Connect an assistant' },
  { path: '/settings', label: 'Settings', icon: Settings, key: 's' },
];
