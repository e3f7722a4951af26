import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the folder of the package: the nearest one upwards that contains resources/, from src/, out/ and an installed
 * package alike.
 */
function packageDir(from: string): string {
  if (existsSync(join(from, 'resources', 'runners')) && existsSync(join(from, 'package.json'))) return from;
  const up = dirname(from);
  if (up === from) throw new Error('The resources folder of the product is missing; install it again.');
  return packageDir(up);
}

const ROOT = packageDir(import.meta.dirname);

/** Folder with SDKs, runners, templates and examples. */
export const resourcesDir = join(ROOT, 'resources');

/** Folder with the built dashboard; missing before a build. */
export const dashboardDir = join(ROOT, 'out', 'renderer');

/** Version of this release. */
export const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

/** Guide that an assistant reads before it writes a bot. */
export const authoringGuide: string = readFileSync(join(resourcesDir, 'mcp/authoring.md'), 'utf8');

/** Script of the cage in which the dashboard shows views. */
export const viewCageScript: string = readFileSync(join(resourcesDir, 'view/cage.js'), 'utf8');
