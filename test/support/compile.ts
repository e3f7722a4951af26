import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SDK = resolve(import.meta.dirname, '../../resources/sdk/cpp/include');
/** Programs by all that they were made of: a compiler costs more than all that a test does with its program. */
const KEPT = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'bot-platform-test-programs');
const KEPT_MS = 30 * 24 * 60 * 60_000;

/*
 * Compilers take up to minutes on a busy machine. A blocking call would keep all tests of the file from polling, and
 * the runner from its messages.
 */

/** Compiles a C++ file that uses the SDK. Rejects with what the compiler says. */
export async function compile(source: string, program: string, flags: readonly string[]): Promise<void> {
  await kept(program, [source], flags, '', () => run('g++', [...flags, '-I', SDK, source, '-o', program]));
}

/** Runs `make` in an example, without the time that a compiler takes to make a program fast; no warning is taken. */
export async function make(project: string): Promise<void> {
  const src = join(project, 'src');
  const sources = readdirSync(src).filter((name) => name.endsWith('.cpp'));
  const flags = ['-O0', '-Wall', '-Wextra', '-Werror'];
  const text = readFileSync(join(project, 'Makefile'), 'utf8');
  const read = ['-std=c++17', '-I', src];
  await kept(
    join(project, 'build'),
    sources.sort().map((name) => join(src, name)),
    flags,
    text,
    () => run('make', ['-j2', `PLATFORM_SDK=${SDK}`, `CXXFLAGS=${flags.join(' ')}`], { cwd: project }),
    read,
  );
}

/**
 * Puts a compiled file or folder into place: from the cache for the same text, flags and compiler, else freshly
 * compiled. The text includes every header.
 */
async function kept(
  target: string,
  sources: readonly string[],
  flags: readonly string[],
  more: string,
  build: () => Promise<unknown>,
  read: readonly string[] = flags,
): Promise<void> {
  const { stdout: version } = await run('g++', ['--version']);
  const key = createHash('sha256').update(JSON.stringify([version, flags, more]));
  for (const source of sources) {
    const { stdout } = await run('g++', [...read, '-I', SDK, '-E', '-P', source], { maxBuffer: 2 ** 28 });
    key.update(`${stdout.length}\n${stdout}`);
  }
  const place = join(KEPT, key.digest('hex'));
  if (existsSync(place)) {
    cpSync(place, target, { recursive: true });
    return;
  }
  await build();
  mkdirSync(KEPT, { recursive: true });
  for (const name of readdirSync(KEPT)) {
    const old = join(KEPT, name);
    const { mtimeMs } = statSync(old, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > KEPT_MS) rmSync(old, { recursive: true, force: true });
  }
  const part = `${place}.${process.pid}`;
  cpSync(target, part, { recursive: true });
  try {
    renameSync(part, place);
  } catch {
    // Another test was first.
    rmSync(part, { recursive: true, force: true });
  }
}
