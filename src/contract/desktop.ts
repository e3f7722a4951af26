/**
 * What the desktop window adds to the dashboard: the few things that a page in a browser cannot do. The window shows the
 * same pages that a browser gets; a page without this bridge is in a browser. No I/O and no zod: the preload script that
 * carries it must stay small.
 */

/** How the desktop app stands with its host. Times are RFC 3339, UTC. */
export type DesktopHost =
  | { readonly at: 'starting' }
  /** `own`: the app started this host and ends it; else it was started elsewhere and outlives the app. */
  | { readonly at: 'running'; readonly own: boolean; readonly pid: number }
  /** Its process ended unexpectedly and is started again at `next_at`; bots go on meanwhile. */
  | { readonly at: 'restarting'; readonly why: string; readonly attempt: number; readonly next_at: string }
  /** A host that was started elsewhere is gone; the app joins it again when it is back. */
  | { readonly at: 'away' }
  /** It was stopped in order, by a command. */
  | { readonly at: 'stopped' }
  | { readonly at: 'failed'; readonly message: string; readonly hint: string | null };

/** The object `window.desktop` of a page in the desktop window; absent in a browser. */
export interface DesktopBridge {
  /** Lets the person choose a folder; its absolute path, or null when they chose none. */
  chooseFolder(): Promise<string | null>;
  host(): Promise<DesktopHost>;
  /** Tells of every change until the returned function is called. */
  onHost(listener: (host: DesktopHost) => void): () => void;
  /** Starts the host where it is `away`, `stopped` or `failed`; else nothing. */
  startHost(): Promise<void>;
}

/** Name of the bridge on `window`. */
export const DESKTOP_BRIDGE = 'desktop';

/** Channels between the preload script and the main process. */
export const DESKTOP_CHANNELS = {
  chooseFolder: 'desktop:choose-folder',
  host: 'desktop:host',
  hostChanged: 'desktop:host-changed',
  startHost: 'desktop:start-host',
} as const;
