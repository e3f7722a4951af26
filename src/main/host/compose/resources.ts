import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The package's folder: the nearest one upwards with resources/ in it, from src/, out/ and an installed package alike. */
function packageDir(from: string): string {
  if (existsSync(join(from, 'resources', 'runners')) && existsSync(join(from, 'package.json'))) return from;
  const up = dirname(from);
  if (up === from) throw new Error('The resources folder of the product is missing; install it again.');
  return packageDir(up);
}

const ROOT = packageDir(import.meta.dirname);

/** Folder with SDKs, runners, templates and examples. */
export const resourcesDir = join(ROOT, 'resources');

/** Folder with the built dashboard; not there before a build. */
export const dashboardDir = join(ROOT, 'out', 'renderer');

/** Version of this release. */
export const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

/** What an assistant reads before it writes a bot. */
export const authoringGuide: string = readFileSync(join(resourcesDir, 'mcp/authoring.md'), 'utf8');
