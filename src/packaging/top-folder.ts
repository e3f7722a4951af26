import { BOT_CONFIG_FILE } from './bot-config.ts';
import { pathFault } from './package-path-rules.ts';

const LEFT_BEHIND = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

/** True for what macOS and Windows put into archives and folders for their own file managers. */
export function isFileManagers(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /^__MACOSX(\/|$)/.test(path) || LEFT_BEHIND.has(name) || name.startsWith('._');
}

/**
 * The folder that holds the whole project, as archives of a folder have it: `my-bot` where all files lie below `my-bot/`
 * and bot-config.yaml is among its own. Null where there is none, or bot-config.yaml lies at the root.
 */
export function topFolder(paths: readonly string[]): string | null {
  const own = paths.filter((path) => !isFileManagers(path));
  const top = own[0]?.split('/', 1)[0] ?? '';
  if (pathFault(top) !== null || !own.includes(`${top}/${BOT_CONFIG_FILE}`)) return null;
  return own.every((path) => path.startsWith(`${top}/`)) ? top : null;
}
