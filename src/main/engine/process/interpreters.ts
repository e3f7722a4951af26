import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { PlatformError } from '../../../contract/errors.ts';
import type { Needs } from '../command-line.ts';

/** A program that runs bots of a runtime. */
export interface Interpreter {
  readonly program: string;
  readonly version: string;
}

type Asked = { readonly ok: true; readonly out: string } | { readonly ok: false; readonly why: string };

/** Long enough for a cold JVM on a busy machine. */
const ASK_TIMEOUT_MS = 20_000;

function ask(program: string, args: readonly string[]): Promise<Asked> {
  return new Promise((done) => {
    execFile(program, [...args], { timeout: ASK_TIMEOUT_MS, windowsHide: true }, (error, stdout, stderr) => {
      if (error === null) return done({ ok: true, out: `${stdout}\n${stderr}` });
      const missing = 'code' in error && error.code === 'ENOENT';
      done({ ok: false, why: missing ? 'not installed' : (stderr.trim().split('\n').at(-1) ?? '') || error.message });
    });
  });
}

/** `1.2` or later than `1.2`. */
function atLeast(version: string, major: number, minor: number): boolean {
  const [a = 0, b = 0] = version.split('.').map(Number);
  return a > major || (a === major && b >= minor);
}

function unavailable(what: string, found: readonly string[], install: string): PlatformError {
  const seen = found.length === 0 ? 'none was found' : `found: ${found.join('; ')}`;
  return new PlatformError('ENGINE_UNAVAILABLE', `This bot needs ${what} on this machine, but ${seen}.`, {
    hint: install,
  });
}

const PYTHON_ASK = 'import sys; print(sys.executable); print("%d.%d.%d" % sys.version_info[:3])';

async function findPython(minor: number): Promise<Interpreter> {
  const later = [0, 1, 2, 3].map((step) => `python3.${minor + step}`);
  const found: string[] = [];
  for (const name of ['python3', ...later, ...(process.platform === 'win32' ? ['python'] : [])]) {
    // The real path is asked for because `python3` is often a start script that needs the user's own HOME.
    const answer = await ask(name, ['-c', PYTHON_ASK]);
    if (!answer.ok) continue;
    const [program, version] = answer.out.split(/\r?\n/);
    if (program === undefined || program === '' || version === undefined) continue;
    if (atLeast(version, 3, minor)) return { program, version };
    found.push(`${program} is ${version}`);
  }
  const hint = `Install Python 3.${minor} or later (https://www.python.org/downloads, or your system's package "python3") and start the bot again.`;
  throw unavailable(`Python 3.${minor} or later`, found, hint);
}

async function findNode(major: number, preferred: string | null): Promise<Interpreter> {
  const found: string[] = [];
  for (const program of [...(preferred === null ? [] : [preferred]), 'node']) {
    const answer = await ask(program, ['-p', 'process.execPath + "\\n" + process.versions.node']);
    if (!answer.ok) continue;
    const [path, version] = answer.out.split(/\r?\n/);
    if (path === undefined || version === undefined) continue;
    if (atLeast(version, major, 0)) return { program: path, version };
    found.push(`${path} is ${version}`);
  }
  const hint = `Install Node.js ${major} or later (https://nodejs.org) and start the bot again.`;
  throw unavailable(`Node.js ${major} or later`, found, hint);
}

async function findJava(): Promise<Interpreter> {
  const answer = await ask('java', ['-version']);
  const version = answer.ok ? /version "([^"]+)"/.exec(answer.out)?.[1] : undefined;
  if (version !== undefined) return { program: 'java', version };
  const found = answer.ok ? [] : [`java: ${answer.why}`];
  throw unavailable(
    'Java',
    found,
    'Install a Java runtime, version 21 or later (https://adoptium.net), and start the bot again.',
  );
}

async function findDotnet(major: number): Promise<Interpreter> {
  const answer = await ask('dotnet', ['--list-runtimes']);
  const listed = answer.ok
    ? [...answer.out.matchAll(/^Microsoft\.NETCore\.App (\S+)/gm)].map((match) => match[1] ?? '')
    : [];
  const version = listed.find((each) => atLeast(each, major, 0));
  if (version !== undefined) return { program: 'dotnet', version };
  const found = answer.ok ? listed.map((each) => `.NET ${each}`) : [`dotnet: ${answer.why}`];
  const hint = `Install the .NET ${major} runtime (https://dotnet.microsoft.com/download) and start the bot again.`;
  throw unavailable(`the .NET ${major} runtime`, found, hint);
}

/** Finds interpreters and remembers them. A failure is not remembered, so that installing one helps at once. */
export class Interpreters {
  readonly #preferredNode: string | null;
  readonly #known = new Map<string, Promise<Interpreter | null>>();

  /** `nodePath` is the Node to prefer; by default the one that runs this, unless that is Electron. */
  constructor(nodePath?: string) {
    this.#preferredNode = nodePath ?? (process.versions.electron === undefined ? process.execPath : null);
  }

  /** Null for `none`. Throws ENGINE_UNAVAILABLE with what to install. */
  find(needs: Needs): Promise<Interpreter | null> {
    const key = JSON.stringify(needs);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const search = this.#search(needs).catch((error: unknown) => {
      this.#known.delete(key);
      throw error;
    });
    this.#known.set(key, search);
    return search;
  }

  async #search(needs: Needs): Promise<Interpreter | null> {
    if (needs.kind === 'none') return null;
    if (needs.kind === 'python') return findPython(needs.minor);
    if (needs.kind === 'node') return findNode(needs.major, this.#preferredNode);
    return needs.kind === 'java' ? findJava() : findDotnet(needs.major);
  }
}

/** The folder of an interpreter for PATH; a bare name is found there already. */
export function folderOf(interpreter: Interpreter | null): readonly string[] {
  return interpreter === null || dirname(interpreter.program) === '.' ? [] : [dirname(interpreter.program)];
}
