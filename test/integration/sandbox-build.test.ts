import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import builtWith from '../../resources/sandbox/built-with.json' with { type: 'json' };
import { tempDir } from '../support/temp.ts';

const FOLDER = resolve(import.meta.dirname, '../../resources/sandbox');
const PROGRAMS = ['confine', 'shared-memory.so'];
const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Why the programs of an architecture cannot be rebuilt here; null when they can. */
function obstacle(arch: 'x64' | 'arm64', triple: string): string | null {
  const compiler = spawnSync(`${triple}-gnu-gcc`, ['--version'], { encoding: 'utf8' });
  if (compiler.error !== undefined) return `the compiler ${triple}-gnu-gcc is not installed`;
  const version = compiler.stdout.split('\n')[0];
  if (version !== builtWith[arch].compiler) return `the compiler is ${version}, not ${builtWith[arch].compiler}`;
  const libc = `${process.env.MUSL ?? ''}/usr/lib/${triple}-musl/libc.a`;
  if (!existsSync(libc)) return `the C library ${libc} is not installed`;
  return sha256(libc) === builtWith[arch].libc ? null : `the C library ${libc} is of another version`;
}

it.for([
  ['x64', 'x86_64-linux'],
  ['arm64', 'aarch64-linux'],
] as const)('the programs of the sandbox for %s are what their source gives', ([arch, triple], { skip }) => {
  const why = obstacle(arch, triple);
  if (why !== null) skip(`Not compared: ${why}.`);
  const built = tempDir();
  execFileSync(join(FOLDER, 'build.sh'), [arch, built], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (const name of PROGRAMS)
    expect(sha256(join(built, name)), name).toBe(sha256(join(FOLDER, `linux-${arch}`, name)));
});

it.for(['x64', 'arm64'])('the programs for %s can be started, and need no other file', (arch) => {
  const program = readFileSync(join(FOLDER, `linux-${arch}`, 'confine'));
  expect(program.subarray(0, 4).toString('latin1')).toBe('\x7fELF');
  expect(program.readUInt16LE(18)).toBe(arch === 'x64' ? 0x3e : 0xb7);
  // A program of a dynamic linker names it.
  expect(program.includes('/ld-')).toBe(false);
});
