import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nodePackage, nodeProgram } from '../../node/bundled-node.ts';
import { defaultDataDir } from '../../node/data-folder.ts';
import { isLink } from './deep-link.ts';

/** Id of the app in its installers. */
export const APP_ID = 'bot-platform.desktop';

/** Paths of the app's parts, and its start arguments. All paths are absolute. */
export interface Places {
  readonly dataDir: string;
  /** Folder for the app's own data: window, cookies, cache, its own log. */
  readonly ownDir: string;
  /**
   * Folder of the product's files that lie outside of the archive, so that the host, the command line and other programs can read
   * them.
   */
  readonly filesDir: string;
  readonly serveFile: string;
  readonly preload: string;
  readonly icons: { readonly app: string; readonly tray: string; readonly trayFailing: string };
  /** The file of the AppImage that this app runs from; null for any other. */
  readonly appImage: string | null;
  /** The Node that runs the host, the command line and bots; null where this installation has none. */
  readonly node: string | null;
  /** Flags that lead a start by the system, which knows no environment of a terminal, to the same data folder. */
  readonly startFlags: readonly string[];
  /** Flags of the host, as they were given after `--`. */
  readonly hostFlags: readonly string[];
  /** True for a start without a window, at login. */
  readonly hidden: boolean;
  /** Address of the development server of the dashboard; null: the host serves it. */
  readonly developedAt: string | null;
}

export interface Start {
  /** The program that runs. */
  readonly execPath: string;
  readonly appPath: string;
  readonly resourcesPath: string;
  readonly isPackaged: boolean;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

/** The value of a flag `--name VALUE` or `--name=VALUE`, and the flags without it. */
function taken(flags: readonly string[], name: string): { readonly value: string | null; readonly rest: string[] } {
  const at = flags.findIndex((one) => one === name || one.startsWith(`${name}=`));
  if (at < 0) return { value: null, rest: [...flags] };
  const joined = flags[at] !== name;
  const value = joined ? (flags[at]?.slice(name.length + 1) ?? null) : (flags[at + 1] ?? null);
  return { value, rest: [...flags.slice(0, at), ...flags.slice(at + (joined ? 1 : 2))] };
}

function ownNode({ isPackaged, resourcesPath, platform, arch }: Start, filesDir: string): string | null {
  const dir = isPackaged ? join(resourcesPath, 'node') : join(filesDir, 'node_modules', nodePackage(platform, arch));
  const file = nodeProgram(dir, platform);
  return existsSync(file) ? file : null;
}

/**
 * The file of the AppImage that this program runs from. A program started in another AppImage's terminal inherits its
 * environment, so the executable must lie where the image is mounted.
 */
function appImageOf({ env, execPath }: Start): string | null {
  const { APPIMAGE, APPDIR } = env;
  return APPIMAGE && APPDIR && execPath.startsWith(`${APPDIR}/`) ? APPIMAGE : null;
}

/** Finds all paths from the start of the app. */
export function placesOf(start: Start): Places {
  const { appPath, argv, env } = start;
  const dashes = argv.indexOf('--');
  // The program that opens a link chooses the words behind it, too: an installed app takes no flags then.
  const isLed = start.isPackaged && argv.some(isLink);
  const given = dashes < 0 || isLed ? [] : argv.slice(dashes + 1);
  const data = taken(given, '--data');
  const node = taken(data.rest, '--node');
  const filesDir = appPath.replace(/app\.asar$/, 'app.asar.unpacked');
  const dataDir = data.value === null ? defaultDataDir(env) : resolve(data.value);
  const icon = (name: string): string => join(filesDir, 'resources', 'icons', name);
  return {
    dataDir,
    ownDir: join(dataDir, 'desktop'),
    filesDir,
    serveFile: join(filesDir, 'out', 'main', 'serve.js'),
    preload: join(appPath, 'out', 'preload', 'index.cjs'),
    icons: { app: icon('app.png'), tray: icon('tray.png'), trayFailing: icon('tray-failing.png') },
    appImage: appImageOf(start),
    node: node.value ?? ownNode(start, filesDir),
    startFlags: dataDir === defaultDataDir({}) ? [] : ['--', '--data', dataDir],
    hostFlags: node.rest,
    hidden: argv.includes('--hidden'),
    developedAt: start.isPackaged ? null : (env.ELECTRON_RENDERER_URL ?? null),
  };
}
