import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { z } from 'zod';
import type { FileProblem } from '../contract/custom-bot.ts';
import { systemErrorCode } from '../node/system-error.ts';
import { DESCRIPTORS } from '../runtimes/all.ts';
import { findRuntime, knownInterpreter } from '../runtimes/descriptors.ts';
import { atLeast, programName } from '../runtimes/interpreter-version.ts';
import type { Interpreter, RuntimeDescriptor, SyntaxCheck } from '../runtimes/runtime.ts';

/** The text of a program that is not run. */
export interface ProgramText {
  readonly path: string;
  readonly text: string;
}

const Fault = z.object({ line: z.number(), column: z.number(), message: z.string(), version: z.string() });
type Fault = z.infer<typeof Fault>;

/** Time limit of an interpreter, in ms. Only one that hangs reaches it, and its program counts as unchecked. */
const TIME_MS = 20_000;
const ANSWER_CHARS = 64 * 1024;
const KNOWN = 500;

type Checker = RuntimeDescriptor & { readonly syntax: SyntaxCheck; readonly interpreter: Interpreter };

const CHECKERS = DESCRIPTORS.filter(
  (one): one is Checker => one.syntax !== undefined && knownInterpreter(one) !== null,
);

const checkerOf = (path: string): Checker | undefined => CHECKERS.find(({ syntax }) => path.endsWith(syntax.extension));

/** True if the syntax of a file can be checked. */
export function isChecked(path: string): boolean {
  return checkerOf(path) !== undefined;
}

/** Names of the languages whose syntax is checked. */
export const CHECKED_LANGUAGES = CHECKERS.map(({ summary }) => summary.label).join(', ');

/** Returns the fault that an interpreter finds in a text; null also when this machine has no such interpreter, or it gave up. */
function ask({ interpreter, syntax }: Checker, text: string): Promise<Fault | null> {
  const { PATH = '', HOME = '', SystemRoot } = process.env;
  const env = { ...(SystemRoot === undefined ? {} : { SystemRoot }), PATH, HOME };
  return new Promise((resolve, reject) => {
    const child = spawn(programName(interpreter, process.platform), syntax.args, {
      cwd: tmpdir(),
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIME_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    let said = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (part: string) => {
      if (said.length < ANSWER_CHARS) said += part;
    });
    // A machine without the interpreter cannot check its programs.
    child.once('error', (error) => (systemErrorCode(error) === null ? reject(error) : resolve(null)));
    child.once('close', () => resolve(read(said)));
    // It may exit before reading everything; its output tells how it ended.
    child.stdin.on('error', () => resolve(null));
    child.stdin.end(text);
  });
}

function read(said: string): Fault | null {
  try {
    return Fault.nullable().safeParse(JSON.parse(said)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null; // It was ended, or is another program.
    throw error;
  }
}

/** The interpreter counts letters, an editor the units of UTF-16. */
function columnOf(text: string, { line, column }: Fault): number {
  const letters = [...(text.split('\n', line)[line - 1] ?? '')];
  return letters.slice(0, column - 1).join('').length + 1;
}

/** Finds syntax errors in programs with this machine's interpreters, and caches the result by text. */
export class ProgramSyntax {
  readonly #known = new Map<string, Fault | null>();
  #last: Promise<void> = Promise.resolve();

  /** `runtime` names the runtime of the programs. An older interpreter does not know their syntax, so its faults are ignored. */
  async check(programs: readonly ProgramText[], runtime?: string): Promise<FileProblem[]> {
    const keyed = programs.flatMap(({ path, text }) => {
      const checker = checkerOf(path);
      return checker === undefined ? [] : [{ checker, path, text: text.replace(/^\ufeff/, '') }];
    });
    // One at a time: typing asks often, and cached texts need no second run.
    const mine = this.#last.then(() => this.#learn(keyed));
    this.#last = mine.catch(() => undefined);
    await mine;
    const needs = runtime === undefined ? null : findRuntime(runtime);
    return keyed.flatMap(({ checker, path, text }): FileProblem[] => {
      const fault = this.#known.get(keyOf(checker, text)) ?? null;
      if (fault === null || (needs?.descriptor === checker && !atLeast(fault.version, needs.least))) return [];
      const { line, message } = fault;
      const hint = 'The program does not start like this.';
      const column = columnOf(text, fault);
      return [{ file: path, line, column, message: `${checker.summary.label}: ${message}`, hint }];
    });
  }

  async #learn(programs: readonly { readonly checker: Checker; readonly text: string }[]): Promise<void> {
    for (const { checker, text } of programs) {
      const key = keyOf(checker, text);
      if (!this.#known.has(key)) this.#known.set(key, await ask(checker, text));
    }
    for (const key of this.#known.keys()) {
      if (this.#known.size <= KNOWN) break;
      this.#known.delete(key);
    }
  }
}

const keyOf = ({ summary }: Checker, text: string): string =>
  createHash('sha256').update(summary.family).update('\0').update(text).digest('base64');
