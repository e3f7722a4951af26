import { resolve } from 'node:path';
import { resourcesDir } from './resources.ts';

/** What starts the command line on this machine: what another program starts has no shell's PATH. */
export function commandLine(): string[] {
  return [process.execPath, resolve(resourcesDir, '../out/main/platform.js')];
}
