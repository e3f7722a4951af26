import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SDK = resolve(import.meta.dirname, '../../resources/sdk/cpp/include');

/*
 * Compilers take up to minutes on a busy machine. A test that waits for one as a call that blocks keeps all tests of its
 * file from looking at what they wait for, and the runner from hearing of them.
 */

/** Compiles a C++ file that uses the SDK. Rejects with what the compiler says. */
export async function compile(source: string, program: string, flags: readonly string[]): Promise<void> {
  await run('g++', [...flags, '-I', SDK, source, '-o', program]);
}

/** Runs `make` in an example, without the time that a compiler takes to make a program fast. */
export async function make(project: string): Promise<void> {
  await run('make', ['-j2', `PLATFORM_SDK=${SDK}`, 'CXXFLAGS=-O0'], { cwd: project });
}
