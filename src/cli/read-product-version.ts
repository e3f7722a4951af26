import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Version of this product, as its package.json has it. */
export function readProductVersion(): string {
  let dir = import.meta.dirname;
  while (!existsSync(join(dir, 'package.json')) && dirname(dir) !== dir) dir = dirname(dir);
  return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')).version;
}
