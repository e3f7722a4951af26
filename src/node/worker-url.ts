import { existsSync } from 'node:fs';
import { PlatformError } from '../contract/errors.ts';

/**
 * Finds a worker's program: the source beside this file when it runs from source, else `<name>.worker.js` of the build,
 * which may have put this code into a `chunks` folder below it.
 */
export function workerUrl(name: string, from: string): URL {
  if (new URL(from).pathname.endsWith('.ts')) return new URL(`./${name}.worker.ts`, from);
  const places = ['./', '../'].map((folder) => new URL(`${folder}${name}.worker.js`, from));
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new PlatformError('INTERNAL', `${name}.worker.js is missing beside ${from}`, {
    hint: 'The installation is incomplete: install again, or run `npm run build`.',
  });
}
