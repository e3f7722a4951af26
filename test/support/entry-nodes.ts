import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './platform.ts';

const OWN_NODE = join(ROOT, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin/node');

/** Every Node here that entries of bots are tried with, by a name for the test. */
export const NODES = [
  ['the Node of these tests', process.execPath],
  ...(existsSync(OWN_NODE) && OWN_NODE !== process.execPath ? [['the Node of the host', OWN_NODE] as const] : []),
] as const;

/** Files of a bot by their path; the first one is the entry. */
export type Files = Readonly<Record<string, string>>;

/** Writes the files of a bot into a folder. */
export function writeFiles(dir: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
}
