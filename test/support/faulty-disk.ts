import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { compile } from './compile.ts';
import { tempDir } from './temp.ts';

const PROGRAM = join(import.meta.dirname, 'retention-here.ts');

/** Why no disk can fail here; null when one can. */
export function whyNoFaultyDisk(): string | null {
  return process.platform === 'linux' && existsSync('/usr/bin/g++') ? null : 'this takes Linux and g++';
}

/** A program's output, and the files that it wrote, flushed and removed, in this order. */
export interface OnFaultyDisk {
  readonly said: string;
  readonly calls: readonly string[];
}

/** Sectors that cannot be read: from this byte of a file on, with this error of the system. */
export interface BadSectors {
  readonly file: string;
  readonly from: number;
  readonly error: number;
}

/** The library that makes a disk fail for the program before which it is loaded; see faulty-disk.cpp. */
export async function faultyDiskLibrary(): Promise<string> {
  const library = join(tempDir('faulty-disk-'), 'faulty-disk.so');
  await compile(join(import.meta.dirname, 'faulty-disk.cpp'), library, ['-shared', '-fPIC', '-O1']);
  return library;
}

/** Runs retention-here.ts on a disk that may have bad sectors. */
export async function retainOnFaultyDisk(dir: string, bytes: number, bad: BadSectors | null): Promise<OnFaultyDisk> {
  const library = await faultyDiskLibrary();
  const told = join(dirname(library), 'told');
  const faults =
    bad === null
      ? {}
      : { FAULTY_DISK_BAD: bad.file, FAULTY_DISK_FROM: `${bad.from}`, FAULTY_DISK_ERROR: `${bad.error}` };
  const args = ['--disable-warning=ExperimentalWarning', PROGRAM, dir, String(bytes)];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, LD_PRELOAD: library, FAULTY_DISK_TOLD: told, ...faults },
  });
  return { said: stdout, calls: existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : [] };
}
