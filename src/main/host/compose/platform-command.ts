import { resolve } from 'node:path';
import { resourcesDir } from './product-resources.ts';

/**
 * Returns the command that starts the command line on this machine without the PATH of a shell, which programs started
 * by other programs lack.
 */
export function commandLine(): string[] {
  return [process.execPath, resolve(resourcesDir, '../out/main/platform.js')];
}
