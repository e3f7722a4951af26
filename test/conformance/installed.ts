import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MODULES = join(import.meta.dirname, 'node_modules');
/** Programs of the packages that these tests have for themselves. */
const PROGRAMS = {
  conformance: '@modelcontextprotocol/conformance/dist/index.js',
  inspector: '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
} as const;

export interface ProgramResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one of the installed programs with the Node of this project, in a folder where it may write. */
export function runInstalled(
  program: keyof typeof PROGRAMS,
  cwd: string,
  ...args: readonly string[]
): Promise<ProgramResult> {
  const child: ChildProcess = spawn(process.execPath, [join(MODULES, PROGRAMS[program]), ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: cwd, NO_COLOR: '1' },
  });
  const result = { code: null as number | null, stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    result.stdout += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    result.stderr += String(chunk);
  });
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => done({ ...result, code }));
  });
}

/**
 * Loads a module of an installed package. Its types are missing until the package is installed, so the caller declares
 * the part it uses.
 */
export async function importInstalled<T>(path: string): Promise<T> {
  return import(pathToFileURL(join(MODULES, path)).href);
}
