import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { z } from 'zod';
import type { FileProblem } from '../../contract/custom-bot.ts';
import { systemErrorCode } from '../base/system-error.ts';

/** The text of a program that is not run. */
export interface PythonText {
  readonly path: string;
  readonly text: string;
}

const Fault = z.object({ line: z.number(), column: z.number(), message: z.string() });
type Fault = z.infer<typeof Fault>;

/** Compiles a text and does not run it: what it imports is not read, and what it calls does not happen. */
const PROGRAM = `
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
except (ImportError, ValueError, OSError):
    pass
def fault(text):
    try:
        compile(text, "text", "exec", dont_inherit=True)
    except SyntaxError as error:
        return {"line": error.lineno or 1, "column": error.offset or 1, "message": error.msg or "invalid syntax"}
    except ValueError as error:
        return {"line": 1, "column": 1, "message": str(error)}
    except (MemoryError, RecursionError):
        pass
    return None
json.dump(fault(sys.stdin.buffer.read().decode("utf-8", "replace")), sys.stdout)
`;
/** Nothing of the machine, the user or the folder counts: no site packages, no environment, no files beside it. */
const ARGS = ['-I', '-S', '-B', '-W', 'ignore', '-c', PROGRAM];
const TIME_MS = 4000;
const ANSWER_CHARS = 64 * 1024;
const KNOWN = 500;

/** What python3 finds in a text; null also when there is no Python, or it gave up. */
function ask(text: string): Promise<Fault | null> {
  const { PATH = '', HOME = '', SystemRoot } = process.env;
  const env = { ...(SystemRoot === undefined ? {} : { SystemRoot }), PATH, HOME };
  const program = process.platform === 'win32' ? 'python' : 'python3';
  return new Promise((resolve, reject) => {
    const child = spawn(program, ARGS, {
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
    // A machine without Python says nothing about programs of Python.
    child.once('error', (error) => (systemErrorCode(error) === null ? reject(error) : resolve(null)));
    child.once('close', () => resolve(read(said)));
    // It may be gone before it has read everything; how it ended is told by what it said.
    child.stdin.on('error', () => resolve(null));
    child.stdin.end(text);
  });
}

function read(said: string): Fault | null {
  try {
    return Fault.nullable().safeParse(JSON.parse(said)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null; // It was ended, or is no Python.
    throw error;
  }
}

/** Python counts letters, an editor the units of UTF-16. */
function columnOf(text: string, { line, column }: Fault): number {
  const letters = [...(text.split('\n', line)[line - 1] ?? '')];
  return letters.slice(0, column - 1).join('').length + 1;
}

/** Tells mistakes of syntax in programs of Python, as the python3 of this machine finds them. What was looked at is remembered. */
export class PythonSyntax {
  readonly #known = new Map<string, Fault | null>();
  #last: Promise<void> = Promise.resolve();

  async check(programs: readonly PythonText[]): Promise<FileProblem[]> {
    const keyed = programs.map(({ path, text }) => ({ path, text: text.replace(/^\ufeff/, '') }));
    // One after the other: whoever types fast asks often, and the same texts need no second answer.
    const mine = this.#last.then(() => this.#learn(keyed.map(({ text }) => text)));
    this.#last = mine.catch(() => undefined);
    await mine;
    return keyed.flatMap(({ path, text }): FileProblem[] => {
      const fault = this.#known.get(keyOf(text)) ?? null;
      if (fault === null) return [];
      const { line, message } = fault;
      const hint = 'The program does not start like this.';
      return [{ file: path, line, column: columnOf(text, fault), message: `Python: ${message}`, hint }];
    });
  }

  async #learn(texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      const key = keyOf(text);
      if (!this.#known.has(key)) this.#known.set(key, await ask(text));
    }
    for (const key of this.#known.keys()) {
      if (this.#known.size <= KNOWN) break;
      this.#known.delete(key);
    }
  }
}

const keyOf = (text: string): string => createHash('sha256').update(text).digest('base64');
