import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import type { Row } from './bench.ts';

/** Where and on what rows were made. */
export interface Place {
  readonly machine: string;
  readonly versions: string;
  readonly commit: string;
}

/** The rows of one benchmark with where they were made. */
export interface Kept extends Place {
  readonly seconds: number;
  readonly rows: readonly Row[];
}

/** By the name of the benchmark. */
export type Results = Readonly<Record<string, Kept>>;

export function readResults(file: string): Results {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

export function writeResults(file: string, results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

/** Output of a command; a dash if it is missing. */
export type Ask = (program: string, ...args: string[]) => string;

export function placeHere(ask: Ask): Place {
  const [first] = cpus();
  const cores = `${cpus().length} cores (${first?.model.trim() ?? 'unknown'})`;
  const [, docker = ask('dockerd', '--version')] = /version (\S+?),/.exec(ask('dockerd', '--version')) ?? [];
  const sqlite = ask('sqlite3', '--version').split(' ')[0];
  const [, ripgrep = '-'] = /ripgrep (\S+)/.exec(ask('rg', '--version')) ?? [];
  return {
    machine: `${cores}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${process.platform} ${release()}`,
    versions: `Node ${process.versions.node}, Docker ${docker}, sqlite3 ${sqlite}, ripgrep ${ripgrep}, ${ask('python3', '--version')}`,
    commit: ask('git', 'rev-parse', '--short=10', 'HEAD'),
  };
}
