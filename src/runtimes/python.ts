import { readPathAndVersion } from './interpreter-version.ts';
import type { RuntimeDescriptor, RuntimeSummary } from './runtime.ts';
import { type OutputOfRun, placeIn, type Trace, textOf } from './trace.ts';

const part = (name: string) => ({ from: `strategies/python/${name}`, to: name });
const TRADES = ['.platformignore', 'decimals.py', 'paper.py', 'prices.py'].map(part);
const LOOKS_AGAIN = ['.platformignore', 'decimals.py', 'prices.py', 'loop.py'].map(part);
const TRADES_AGAIN = [...TRADES, part('loop.py')];

export const PYTHON_SUMMARY = {
  family: 'python',
  label: 'Python',
  runtimes: {
    python311: { aliases: ['python3.11'], least: '3.11', image: 'python:3.11-slim-bookworm' },
  },
  templates: [
    { name: 'python', label: 'Python', strategy: 'empty' },
    { name: 'python-grid', label: 'Python', strategy: 'grid', copies: TRADES_AGAIN },
    { name: 'python-dca', label: 'Python', strategy: 'dca', copies: TRADES },
    { name: 'python-price-alert', label: 'Python', strategy: 'price-alert', copies: LOOKS_AGAIN },
    { name: 'python-rebalancer', label: 'Python', strategy: 'rebalancer', copies: TRADES },
  ],
  languages: [
    // The editor's language server for Python reads the SDK itself.
    { id: 'python', extensions: ['.py'] },
  ],
} as const satisfies RuntimeSummary;

/** The real path is asked for because `python3` is often a start script that needs the user's own HOME. */
const ASK = 'import sys; print(sys.executable); print("%d.%d.%d" % sys.version_info[:3])';

/** Compiles a text without running it or its imports. */
const SYNTAX_PROGRAM = `
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
except (ImportError, ValueError, OSError):
    pass
VERSION = "%d.%d" % sys.version_info[:2]
def fault(text):
    try:
        compile(text, "text", "exec", dont_inherit=True)
    except SyntaxError as error:
        return {"line": error.lineno or 1, "column": error.offset or 1, "message": error.msg or "invalid syntax", "version": VERSION}
    except ValueError as error:
        return {"line": 1, "column": 1, "message": str(error), "version": VERSION}
    except (MemoryError, RecursionError):
        pass
    return None
json.dump(fault(sys.stdin.buffer.read().decode("utf-8", "replace")), sys.stdout)
`;

const HEADER = /^(?:Exception Group )?Traceback \(most recent call last\):/;
const FRAME = /^ {2}File "/;
const CHAINED = /^(?:During handling of the above exception|The above exception was the direct cause)/;
const ERROR = /^([A-Za-z_][\w.]{0,150})(?:: (.*))?$/s;
/** The margin that exception groups draw. */
const MARGIN = /^ {2,40}[|+](?: |$)/;

interface Block {
  /** Line of the exception itself; null until it is found. */
  error: number | null;
  readonly frames: { readonly line: number; readonly place: string | null }[];
}

interface Chain {
  readonly blocks: Block[];
  /** Lines with text after its end. */
  after: number;
}

/** The last chain of tracebacks among these lines; one traceback is a chain of one. */
function lastChain(run: OutputOfRun, view: readonly number[], text: (index: number) => string): Chain | null {
  let chain: Chain | null = null;
  let open: Block | null = null;
  let linked = false;
  for (const index of view) {
    const line = text(index);
    if (open === null && (HEADER.test(line) || FRAME.test(line))) {
      open = { error: null, frames: [] };
      if (chain === null || !linked) chain = { blocks: [], after: 0 };
      chain.blocks.push(open);
      chain.after = 0;
      linked = false;
    }
    if (open === null) {
      if (CHAINED.test(line)) linked = true;
      else if (chain !== null && line !== '') chain.after += 1;
      continue;
    }
    if (FRAME.test(line)) open.frames.push({ line: index, place: placeIn(line, run.codeDir) });
    else if (line !== '' && !line.startsWith(' ') && !HEADER.test(line)) {
      open.error = index;
      open = null;
    }
  }
  return chain;
}

/** Python ends with 1 after an uncaught exception; one that was only printed must be right at the end. */
const MOST_AFTER_UNCAUGHT = 40;
const MOST_AFTER = 5;

/** The Python exception that ended a run, from the lines of one stream; null when they do not end with one. */
function readTrace(run: OutputOfRun, view: readonly number[]): Trace | null {
  const text = (index: number): string => {
    const line = run.lines[index];
    return line === undefined ? '' : textOf(line).replace(MARGIN, '');
  };
  const chain = lastChain(run, view, text);
  const block = chain?.blocks.findLast(({ error }) => error !== null);
  if (chain === null || block === undefined || block.error === null) return null;
  if (chain.after > (run.exitCode === 1 ? MOST_AFTER_UNCAUGHT : MOST_AFTER)) return null;
  const [, full = 'Exception', message = ''] = ERROR.exec(text(block.error)) ?? [];
  const own = block.frames.findLast(({ place }) => place !== null) ?? null;
  const code = own === null ? undefined : view[view.indexOf(own.line) + 1];
  const hasCode = code !== undefined && text(code).startsWith('    ');
  const heads = chain.blocks.flatMap(({ error }) => (error === null ? [] : [error])).reverse();
  return {
    family: PYTHON_SUMMARY.family,
    type: full.slice(full.lastIndexOf('.') + 1),
    message,
    code: null,
    place: own?.place ?? null,
    source: hasCode ? text(code) : null,
    heads,
    shown: [...(own === null ? [] : [own.line]), ...(hasCode ? [code] : []), ...heads.slice(0, 3)],
  };
}

/** Bots in Python: an SDK beside the runner, pip for dependencies, tracebacks. */
export const PYTHON: RuntimeDescriptor = {
  summary: PYTHON_SUMMARY,
  interpreter: {
    program: 'python3',
    windowsProgram: 'python',
    alternatives: (least) => [0, 1, 2, 3].map((step) => `python3.${Number(least.split('.')[1]) + step}`),
    ask: ['-c', ASK],
    read: readPathAndVersion,
    describe: ({ program, version }) => `${program} is ${version}`,
    needs: (least) => `Python ${least} or later`,
    install: (least) =>
      `Install Python ${least} or later (https://www.python.org/downloads, or your system's package "python3") and start the bot again.`,
    site: 'www.python.org',
    name: 'Python',
  },
  args: ({ file }, runner) => [runner('python_runner.py'), file],
  reservedMb: 256,
  environment: ({ dir, join, delimiter }) => ({
    PYTHONPATH: [join(dir, 'vendor'), dir].join(delimiter),
    PYTHONDONTWRITEBYTECODE: '1',
  }),
  environmentOfAll: { PYTHONUNBUFFERED: '1' },
  vendoring: {
    manifest: 'requirements.txt',
    isJson: false,
    runsIn: 'project',
    place: { folder: 'vendor' },
    copies: [],
    removes: [],
    plan: ({ manifest, absolute }) => {
      if (!/^\s*[^#\s]/m.test(manifest)) return null;
      const quiet = ['--disable-pip-version-check', '--no-input', '--no-compile', '--no-warn-script-location'];
      const file = absolute('requirements.txt');
      return {
        line: 'Installing requirements.txt into vendor/',
        stamp: [manifest],
        always: false,
        tool: 'python3',
        args: (target) => ['-m', 'pip', 'install', ...quiet, '--target', target, '-r', file],
        files: {},
      };
    },
  },
  // Nothing of the machine, the user or the folder counts: no site packages, no environment, no files beside it.
  syntax: { extension: '.py', args: ['-I', '-S', '-B', '-W', 'ignore', '-c', SYNTAX_PROGRAM] },
  failure: {
    readTrace,
    exception: 'PYTHON_EXCEPTION',
    missingModule: {
      code: 'PYTHON_MODULE_MISSING',
      match: [/(?:ModuleNotFoundError|ImportError): No module named '?([\w.-]{1,200})/],
      action: (module) => `Add ${module.split('.')[0]} to requirements.txt, raise the version and publish it.`,
    },
    syntaxError: {
      code: 'PYTHON_SYNTAX_ERROR',
      applies: ({ type }) => /^(?:SyntaxError|IndentationError|TabError)$/.test(type),
    },
    missingConfigKey: {
      applies: ({ type, source }) =>
        type === 'KeyError' && /\b(?:config|cfg|settings|params|BOT_CONFIG)\b/i.test(source ?? ''),
      match: [/^KeyError: '([\w.-]{1,100})'/],
    },
    outOfMemory: [/^(?:[\w.]{0,100}\.)?(MemoryError|_ArrayMemoryError)\b/],
  },
  doctor: {
    id: 'python',
    name: 'Python',
    why: 'Bots written in Python run with it where they run as local processes.',
    program: 'python3',
    windowsProgram: 'python',
    args: ['--version'],
    least: '3.11',
    advice: 'Python bots need Python 3.11 or later.',
  },
};
