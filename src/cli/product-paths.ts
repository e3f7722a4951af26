import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { nodePackage, nodeProgram, OLDEST_NODE } from '../node/bundled-node.ts';

function packageDir(from: string): string {
  if (existsSync(join(from, 'package.json')) && existsSync(join(from, 'resources'))) return from;
  const up = dirname(from);
  if (up === from) throw new Error('The resources folder of the product is missing; install it again.');
  return packageDir(up);
}

/** Folder of the product: package.json, out/ and resources/ stand in it. */
export const PACKAGE_DIR = packageDir(import.meta.dirname);
/** Templates, examples, SDKs and runners. */
export const RESOURCES_DIR = join(PACKAGE_DIR, 'resources');
/** Entry of the host process. */
export const SERVE_FILE = join(PACKAGE_DIR, 'out', 'main', 'serve.js');
/** Entry of the program that inspects a data folder for `platform doctor`. */
export const INSPECT_FILE = join(PACKAGE_DIR, 'out', 'main', 'inspect.js');

/** Entry of the program that works on a data folder itself: backup and restore. */
export const ARCHIVE_FILE = join(PACKAGE_DIR, 'out', 'main', 'archive.js');

/** The Node that runs the host: this one if it is new enough, else the one that the product brings along. */
export function hostNode(): string {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath;
  const { platform, arch, execPath } = process;
  const own = nodeProgram(join(PACKAGE_DIR, 'node_modules', nodePackage(platform, arch)), platform);
  return existsSync(own) ? own : execPath;
}
