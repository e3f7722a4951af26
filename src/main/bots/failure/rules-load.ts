import { quote } from './facts.ts';
import { at, PUBLISH, type Rule } from './rule.ts';

const NODE_SYNTAX = 'SyntaxError';

/** The bot's code could not be loaded: nothing of what it was written to do has run. */
export const LOAD_RULES: readonly Rule[] = [
  {
    code: 'LIBRARY_TOO_OLD',
    step: 'start',
    match: [/: version `((?:GLIBC|GLIBCXX|CXXABI|GCC)_[\w.]{1,30})' not found/],
    say: ({ groups }) => `This machine's system library has no ${groups[0]}: the program was built on a newer system.`,
    action:
      'Build it on this system or an older one, or link it with -static-libstdc++ -static-libgcc, and publish it.',
    commands: PUBLISH,
  },
  {
    code: 'LIBRARY_MISSING',
    step: 'start',
    match: [
      /error while loading shared libraries: ([^\s:]{1,200}): cannot open shared object file/,
      /Library not loaded: (\S{1,300})/,
      /^(?:ImportError|OSError): (lib[^\s:]{1,200}): cannot open shared object file/,
    ],
    say: ({ groups }) => `The shared library ${groups[0]} is not where the bot runs.`,
    action: ({ groups }) =>
      `Install ${groups[0]} (for a bot in a container: name an image that has it, docs/docker.md), or ship it with the bot: link with -Wl,-rpath,'$ORIGIN' and publish.`,
    commands: PUBLISH,
  },
  {
    code: 'WRONG_ARCHITECTURE',
    step: 'start',
    match: [
      /\bexec: (\S{1,300}): Exec format error$/,
      /\b([Ee]xec format error)\b/,
      /\b(Bad CPU type in executable)\b/,
    ],
    say: 'The entry is not a program for this machine: it was built for another system or processor.',
    action: 'Build it for this machine and publish a new version.',
    commands: PUBLISH,
  },
  {
    code: 'PERMISSION_DENIED',
    step: 'start',
    when: ({ run, trace }) => run.exitCode === 126 && trace === null,
    match: [/\b(?:exec: )?([^\s:]{1,300}): Permission denied$/],
    say: ({ groups }) => `${groups[0]} may not be executed.`,
    action: ({ groups }) => `Mark ${groups[0]} executable (chmod +x) and publish a new version.`,
    commands: PUBLISH,
  },
  {
    code: 'INTERPRETER_MISSING',
    step: 'start',
    when: ({ run, trace }) => run.exitCode === 127 && trace === null,
    match: [
      /\benv: ['"‘“`]?([\w.+-]{1,100})['"’”]?: No such file/,
      /\bexec: ([^\s:]{1,300}): (?:not found|No such file)/,
      /: (?:\d{1,7}: )?([^\s:]{1,300}): (?:command )?not found$/,
    ],
    say: ({ groups }) => `The program ${groups[0]}, which runs the bot's entry, is not on this machine.`,
    action: ({ groups }) => `Install ${groups[0]} and start the bot again.`,
    commands: ['platform doctor', 'platform bot start $BOT'],
  },
  {
    code: 'PYTHON_MODULE_MISSING',
    step: 'start',
    when: ({ trace }) => trace?.kind === 'python',
    match: [/(?:ModuleNotFoundError|ImportError): No module named '?([\w.-]{1,200})/],
    say: ({ groups }, ending) => `The Python module ${groups[0]} is not in the package${at(ending)}.`,
    action: ({ groups }) =>
      `Add ${(groups[0] ?? '').split('.')[0]} to requirements.txt, raise the version and publish it.`,
    commands: PUBLISH,
  },
  {
    code: 'PYTHON_SYNTAX_ERROR',
    step: 'start',
    when: ({ trace }) => trace?.kind === 'python' && /^(?:SyntaxError|IndentationError|TabError)$/.test(trace.type),
    say: (_, { trace }) => `Python cannot read ${trace?.place ?? 'the code'}: ${quote(trace?.message ?? '')}.`,
    action: (_, { trace }) => `Correct ${trace?.place ?? 'the file'}, raise the version and publish it.`,
    commands: PUBLISH,
  },
  {
    code: 'NODE_MODULE_MISSING',
    step: 'start',
    when: ({ trace }) => trace?.code === 'ERR_MODULE_NOT_FOUND' || trace?.code === 'MODULE_NOT_FOUND',
    match: [/Cannot find (?:package|module) '([\w@./:~+%\\-]{1,300})'/],
    say: ({ groups }, ending) => `The Node module ${groups[0]} is not in the package${at(ending)}.`,
    action: ({ groups }) =>
      /^(?:[./]|file:)/.test(groups[0] ?? '')
        ? `Put ${groups[0]} into the project, or correct the import, and publish a new version.`
        : `Add ${groups[0]} to the dependencies of package.json, raise the version and publish it.`,
    commands: PUBLISH,
  },
  {
    code: 'NODE_SYNTAX_ERROR',
    step: 'start',
    when: ({ run, trace }) =>
      trace?.kind === 'node' &&
      trace.type === NODE_SYNTAX &&
      // JSON.parse throws the same class while the bot runs; only the loader compiles modules.
      run.lines.some(({ message }) =>
        /^\s+at (?:compileSourceTextModule|wrapSafe|#translate|ModuleLoader)\b/.test(message),
      ),
    say: (_, { trace }) => `Node cannot read ${trace?.place ?? 'the code'}: ${quote(trace?.message ?? '')}.`,
    action: (_, { trace }) => `Correct ${trace?.place ?? 'the file'}, raise the version and publish it.`,
    commands: PUBLISH,
  },
];
