/**
 * The desktop window's additions to the dashboard: the few things that a page in a browser cannot do. The window shows
 * the same pages that a browser gets; a page without this bridge is in a browser. No I/O and no zod: the preload script
 * that carries it must stay small.
 */
import type { ErrorBody } from './errors.ts';

/** State of the desktop app's host. Times are RFC 3339, UTC. */
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

/** The command `platform` in the folder of the user's own programs. */
export interface DesktopCommand {
  /**
   * `outdated`: made by this product, for a copy of it at another place; `foreign`: another program has the name;
   * `impossible`: this kind of installation cannot provide it.
   */
  readonly at: 'there' | 'missing' | 'outdated' | 'foreign' | 'impossible';
  /** Absolute path of the command, whether or not it is installed. */
  readonly file: string;
  /** True when the PATH of the app leads to it. */
  readonly on_path: boolean;
}

/** State of the desktop app's updates. Times are RFC 3339, UTC. */
export type DesktopUpdate =
  /** This installation has no address at which to look for new versions. */
  | { readonly at: 'never' }
  | { readonly at: 'checking' }
  | { readonly at: 'newest'; readonly checked_at: string }
  | { readonly at: 'fetching'; readonly version: string }
  | { readonly at: 'ready'; readonly version: string }
  | { readonly at: 'failed'; readonly message: string; readonly checked_at: string };

/** Current settings of the app on this machine. */
export interface DesktopSettings {
  readonly version: string;
  readonly starts_at_login: boolean;
  /** True when the app reports failures outside of its window. */
  readonly notifications: boolean;
  readonly command: DesktopCommand;
  readonly update: DesktopUpdate;
}

/** One change or action. `command`: install it or remove it. */
export type DesktopChange =
  | { readonly starts_at_login: boolean }
  | { readonly notifications: boolean }
  | { readonly command: boolean }
  | { readonly update: 'check' | 'install' };

/** Result of a change: the settings after it, and the error, if any. */
export interface DesktopAnswer {
  readonly settings: DesktopSettings;
  readonly problem: Pick<ErrorBody, 'code' | 'message' | 'hint'> | null;
}

/** The object `window.desktop` of a page in the desktop window; absent in a browser. */
export interface DesktopBridge {
  /** Lets the person choose a folder; resolves to its absolute path, or to null without a choice. */
  chooseFolder(): Promise<string | null>;
  host(): Promise<DesktopHost>;
  /** Calls the listener with every change until the returned function is called. */
  onHost(listener: (host: DesktopHost) => void): () => void;
  /** Starts the host where it is `away`, `stopped` or `failed`; else does nothing. */
  startHost(): Promise<void>;
  settings(): Promise<DesktopSettings>;
  change(change: DesktopChange): Promise<DesktopAnswer>;
  /** Calls the listener with every change, also with those made in the app's menu, until the returned function is called. */
  onSettings(listener: (settings: DesktopSettings) => void): () => void;
}

/** Name of the bridge on `window`. */
export const DESKTOP_BRIDGE = 'desktop';

/** Channels between the preload script and the main process. */
export const DESKTOP_CHANNELS = {
  chooseFolder: 'desktop:choose-folder',
  host: 'desktop:host',
  hostChanged: 'desktop:host-changed',
  startHost: 'desktop:start-host',
  settings: 'desktop:settings',
  change: 'desktop:change',
  settingsChanged: 'desktop:settings-changed',
} as const;
