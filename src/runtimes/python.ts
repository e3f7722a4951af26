import { readPathAndVersion } from './interpreter-version.ts';
import type { RuntimeDescriptor, RuntimeSummary } from './runtime.ts';
import { type OutputOfRun, placeIn, type Trace, textOf } from './trace.ts';

<<<<<<< HEAD
=======
/** The functions of resources/sdk/python; a test compares the two. */
const SDK: readonly SdkEntry[] = [
  {
    name: 'parse',
    signature: 'parse() -> Parsed',
    doc: "The bot's id and configuration (the effective one, with defaults filled in).",
  },
  {
    name: 'metric',
    signature: 'metric(type: str, data: Mapping[str, Any] | None = None) -> None',
    doc: 'Emits a metric: a line of JSON on stdout with `_metric`, the data and `timestamp`.',
  },
  {
    name: 'log',
    signature: 'log(message: object, data_or_level: Any = None, level: str | None = None, *, data: Any = None) -> None',
    doc: 'Writes a log line to stderr: log(message), log(message, level), log(message, data) or log(message, data, level).',
  },
  {
    name: 'success',
    signature: 'success(message: object, data: Any = None) -> None',
    doc: 'Reports that a scheduled run went well.',
  },
  {
    name: 'error',
    signature: 'error(message: object, data: Any = None) -> NoReturn',
    doc: 'Reports a failure, with `data` if it is given, logs the message as an error and ends the process with exit code 1.',
  },
  {
    name: 'result',
    signature: 'result(data: Any) -> None',
    doc: "Gives out a result of the bot's own: any value that JSON can hold. Raises TypeError for any other.",
  },
  {
    name: 'sleep',
    signature: 'sleep(seconds: float) -> None',
    doc: "Waits for so many **seconds** (Node's sleep takes milliseconds). Raises ValueError for a negative time.",
  },
  {
    name: 'current_timestamp',
    signature: 'current_timestamp() -> int',
    doc: 'The time now in milliseconds since 1970, as metrics have it.',
  },
  { name: 'order', signature: 'order(**fields: Unpack[Order]) -> None', doc: 'Reports an order and its status.' },
  {
    name: 'fill',
    signature: 'fill(**fields: Unpack[Fill]) -> None',
    doc: 'Reports a trade, corrects one (`revises`), or takes one back (`revises` and `cancelled=True`).',
  },
  {
    name: 'position',
    signature: 'position(**fields: Unpack[Position]) -> None',
    doc: 'Reports what is held of a symbol; `quantity` is negative for a short position.',
  },
  { name: 'equity', signature: 'equity(**fields: Unpack[Equity]) -> None', doc: 'Reports what the account is worth.' },
  {
    name: 'cash_flow',
    signature: 'cash_flow(**fields: Unpack[CashFlow]) -> None',
    doc: 'Reports money that came (positive) or went (negative).',
  },
  {
    name: 'adjustment',
    signature: 'adjustment(**fields: Unpack[Adjustment]) -> None',
    doc: 'Reports a change of a holding that is no trade.',
  },
  {
    name: 'rate',
    signature: 'rate(**fields: Unpack[Rate]) -> None',
    doc: 'Reports that one unit of `base` is worth `value` units of `quote`.',
  },
  { name: 'price', signature: 'price(**fields: Unpack[Price]) -> None', doc: 'Reports the price of a symbol.' },
  {
    name: 'signal',
    signature: 'signal(**fields: Unpack[Signal]) -> None',
    doc: 'Reports a decision to buy or sell, which charts show as a mark.',
  },
  {
    name: 'state.get',
    signature: 'get(key: str, default: Any = None) -> Any',
    doc: 'The value under a key; `default` when there is none.',
  },
  {
    name: 'state.set',
    signature: 'set(key: str, value: Any) -> None',
    doc: 'Stores a value that JSON can hold, of 10 MiB at most, under a key; readers see the old value or the new one, never a mix.',
  },
  {
    name: 'state.remove',
    signature: 'remove(key: str) -> bool',
    doc: 'Removes a key; True when it was there. Raises ReadOnlyStateError in a query.',
  },
  { name: 'state.delete', signature: 'delete(key: str) -> bool', doc: 'Another name of remove().' },
  { name: 'state.exists', signature: 'exists(key: str) -> bool', doc: 'Whether there is a value under a key.' },
  { name: 'state.list', signature: 'list() -> builtins.list[str]', doc: 'All keys, sorted.' },
  {
    name: 'state.clear',
    signature: 'clear() -> None',
    doc: 'Removes all keys, one after the other: a reader meanwhile may see some of them.',
  },
  {
    name: 'query.handler',
    signature: 'handler(path: str, function: Handler | None = None) -> Any',
    doc: 'Registers a function for a path such as `/status`; also as a decorator: `@query.handler("/status")`.',
  },
  {
    name: 'query.get_config',
    signature: 'get_config() -> dict[str, Any]',
    doc: "The bot's configuration, a dict. Raises like parse().",
  },
  {
    name: 'query.get_params',
    signature: 'get_params() -> dict[str, str]',
    doc: 'The parameters of the query that is answered now, as texts by name; none outside of a handler.',
  },
  {
    name: 'query.is_query_mode',
    signature: 'is_query_mode() -> bool',
    doc: 'Whether this program was started to answer one query, and ends with it.',
  },
  {
    name: 'query.run',
    signature: 'run() -> None',
    doc: 'Answers the one query of a query run and ends the process (exit code 1 for an error), else serves queries until the process is told to stop.',
  },
];

/** Files that the projects of strategies share. */
const part = (name: string) => ({ from: `strategies/python/${name}`, to: name });
const TRADES = ['.platformignore', 'decimals.py', 'paper.py', 'prices.py'].map(part);
const LOOKS_AGAIN = ['.platformignore', 'decimals.py', 'prices.py', 'loop.py'].map(part);
const TRADES_AGAIN = [...TRADES, part('loop.py')];

>>>>>>> 69154014 (templates: offer four strategies that trade on paper)
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
