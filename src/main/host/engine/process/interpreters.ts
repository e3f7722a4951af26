import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { PlatformError } from '../../../../contract/errors.ts';
import { knownInterpreter, type RuntimeNeeds } from '../../../../runtimes/descriptors.ts';
import { atLeast } from '../../../../runtimes/interpreter-version.ts';
import type { FoundVersion, Interpreter } from '../../../../runtimes/runtime.ts';

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

function unavailable(what: string, found: readonly string[], install: string): PlatformError {
  const seen = found.length === 0 ? 'none was found' : `found: ${found.join('; ')}`;
  return new PlatformError('ENGINE_UNAVAILABLE', `This bot needs ${what} on this machine, but ${seen}.`, {
    hint: install,
  });
}

/** The first program that runs a runtime. Throws ENGINE_UNAVAILABLE with what was found instead. */
async function search(programs: readonly string[], interpreter: Interpreter, least: string): Promise<FoundVersion> {
  const found: string[] = [];
  for (const program of programs) {
    const answer = await ask(program, interpreter.ask);
    const versions = answer.ok ? interpreter.read(answer.out, program) : [];
    const fit = versions.find(({ version }) => interpreter.anyVersion === true || atLeast(version, least));
    if (fit !== undefined) return fit;
    found.push(...versions.map(interpreter.describe));
    // Of several names, most are usually missing.
    if (!answer.ok && programs.length === 1) found.push(`${program}: ${answer.why}`);
  }
  throw unavailable(interpreter.needs(least), found, interpreter.install(least));
}

/** Finds interpreters and remembers them. A failure is not remembered, so that installing one helps at once. */
export class Interpreters {
  readonly #hostProgram: string;
  readonly #known = new Map<string, Promise<FoundVersion>>();

  /** `nodePath` is the Node to prefer. */
  constructor(nodePath = process.execPath) {
    this.#hostProgram = nodePath;
  }

  /** Null for a runtime whose bots are programs themselves, or name their interpreter. Throws ENGINE_UNAVAILABLE with what to install. */
  async find({ descriptor, least }: RuntimeNeeds): Promise<FoundVersion | null> {
    const interpreter = knownInterpreter(descriptor);
    const { summary } = descriptor;
    if (interpreter === null) return null;
    const key = `${summary.family} ${least}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = search(this.#candidates(interpreter, least), interpreter, least).catch((error: unknown) => {
      this.#known.delete(key);
      throw error;
    });
    this.#known.set(key, found);
    return found;
  }

  #candidates({ program, windowsProgram, alternatives, runsHost }: Interpreter, least: string): string[] {
    const own = runsHost === true ? [this.#hostProgram] : [];
    const windows = windowsProgram !== undefined && process.platform === 'win32' ? [windowsProgram] : [];
    return [...own, program, ...(alternatives?.(least) ?? []), ...windows];
  }
}

/** The folder of an interpreter for PATH; a bare name is found there already. */
export function folderOf(interpreter: Pick<FoundVersion, 'program'> | null): readonly string[] {
  return interpreter === null || dirname(interpreter.program) === '.' ? [] : [dirname(interpreter.program)];
}
