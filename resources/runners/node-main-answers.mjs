// What a bot written for Node asks to learn whether it is the program: require.main, module.parent, module.id,
// process.mainModule, import.meta.main and process.argv[1].
//
// A bot whose function the platform calls must hear no, or it would start itself as well, with settings of its own.
import { Module } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Names the entry to the workers of its cluster. */
export const ENTRY_VARIABLE = 'PLATFORM_NODE_ENTRY';

const RUNNER = fileURLToPath(new URL('node-runner.mjs', import.meta.url));
const ARGV1 = fileURLToPath(new URL('node-again.mjs', import.meta.url));

/** Whether the code that reads a property now stands in the file itself; `getter` is the function that was called. */
function isReadBy(path, getter) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder = {};
  try {
    Error.stackTraceLimit = 1;
    Error.prepareStackTrace = (_, frames) => frames[0]?.getFileName() ?? '';
    Error.captureStackTrace(holder, getter);
    const file = holder.stack;
    return (file.startsWith('file:') ? fileURLToPath(file) : file) === path;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
  }
}

function observe(object, name, get) {
  const set = (value) => Object.defineProperty(object, name, { value, writable: true });
  Object.defineProperty(object, name, { configurable: true, enumerable: true, get, set });
}

/**
 * The answers for the entry at `path`. `isCalled` tells whether the platform calls it; from its argument it knows whether
 * the entry itself asks, whose settings depend on the answer, or a library for reasons of its own.
 */
export class MainAnswers {
  #path;
  #isCalled;
  #asked = false;
  #heardYes = false;

  constructor(path, isCalled) {
    this.#path = path;
    this.#isCalled = isCalled;
    const answers = this;
    observe(process.argv, 1, function get() {
      if (answers.#isProgram(isReadBy(path, get))) return path;
      // Only programs that read this variable can start it, as node:cluster does for a worker, which gets this
      // environment.
      process.env[ENTRY_VARIABLE] = path;
      return ARGV1;
    });
  }

  /** Whether the entry has asked. */
  get asked() {
    return this.#asked;
  }

  /** Whether the entry has asked and heard that it is the program. */
  get heardYes() {
    return this.#heardYes;
  }

  #isProgram(byEntry) {
    const yes = !this.#isCalled(byEntry);
    if (byEntry) {
      this.#asked = true;
      this.#heardYes ||= yes;
    }
    return yes;
  }

  /** Answers an ES module. */
  answerMeta(meta) {
    observe(meta, 'main', () => this.#isProgram(true));
  }

  /** Answers a CommonJS module and its own require(). */
  answerCommonJs(module, require) {
    const runner = new Module(RUNNER, null);
    runner.filename = RUNNER;
    observe(require, 'main', () => (this.#isProgram(true) ? module : runner));
    observe(module, 'parent', () => (this.#isProgram(true) ? null : runner));
    const answers = this;
    const path = this.#path;
    observe(module, 'id', function get() {
      return isReadBy(path, get) && answers.#isProgram(true) ? '.' : path;
    });
    observe(process, 'mainModule', function get() {
      return answers.#isProgram(isReadBy(path, get)) ? module : undefined;
    });
  }
}
