import { resolve } from 'node:path';
import { resourcesDir } from './resources.ts';

/**
 * What starts the command line on this machine: what another program starts has no shell's PATH. `node` is the one that the
 * host was told of: the program of the desktop app, which runs it there, is no Node.
 */
export function commandLine(node: string | null): string[] {
  return [node ?? process.execPath, resolve(resourcesDir, '../out/main/platform.js')];
}
