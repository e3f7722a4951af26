import { readPathAndVersion } from '../../src/runtimes/interpreter-version.ts';
import type { RuntimeDescriptor, RuntimeSummary } from '../../src/runtimes/runtime.ts';
import { type OutputOfRun, type Trace, textOf } from '../../src/runtimes/trace.ts';

/** The test makes it: images of tests have no Bash. */
export const BASH_IMAGE = `new-runtime-test:${process.pid}`;

/** A family that the product does not have, in the one file that one takes. */
export const BASH_SUMMARY = {
  family: 'bash',
  label: 'Bash',
  runtimes: { bash5: { aliases: ['bash'], least: '5.0', image: BASH_IMAGE } },
  templates: [{ name: 'bash', label: 'Bash script', strategy: 'empty', copies: [{ from: 'sdk/bash', to: 'sdk' }] }],
  languages: [
    {
      id: 'shell',
      extensions: ['.bash5'],
      sdk: {
        imported: /platform_sdk\.sh/,
        modules: ['state'],
        entries: [{ name: 'state.get', signature: 'get KEY', doc: 'Prints the value of a key.' }],
      },
    },
  ],
} as const satisfies RuntimeSummary;

const ERROR = /^([\w./-]{1,200}): line (\d{1,7}): (.{1,300})$/;

function readTrace({ lines }: OutputOfRun, view: readonly number[]): Trace | null {
  const line = view.findLast((at) => ERROR.test(textOf(lines[at] ?? { message: '', fields: null })));
  const of = line === undefined ? undefined : lines[line];
  if (line === undefined || of === undefined) return null;
  const [, file = '', number, message = ''] = ERROR.exec(textOf(of)) ?? [];
  const shared = { code: null, source: null, heads: [line], shown: [line] };
  return { family: BASH_SUMMARY.family, type: 'Error', message, place: `${file}:${number}`, ...shared };
}

/** Prints the first error that `bash -n` finds, as a syntax check has to. */
const SYNTAX = `
if said=$(bash -n 2>&1); then echo null; exit; fi
line=\${said#*line }; message=\${said%%$'\\n'*}; message=\${message##*: }
printf '{"line": %d, "column": 1, "message": "%s", "version": "5.2"}' "\${line%%:*}" "\${message//\\"/}"
`;

export const BASH: RuntimeDescriptor = {
  summary: BASH_SUMMARY,
  interpreter: {
    program: 'bash',
    ask: ['-c', 'type -P bash; IFS=.; set -- $BASH_VERSION; echo "$1.$2"'],
    read: readPathAndVersion,
    describe: ({ program, version }) => `${program} is ${version}`,
    needs: (least) => `Bash ${least} or later`,
    install: (least) => `Install Bash ${least} or later (https://www.gnu.org/software/bash) and start the bot again.`,
    site: 'www.gnu.org',
    name: 'Bash',
  },
  entry: { extension: '.bash5', hint: 'Write the path of the script.' },
  args: ({ file }) => ['--noprofile', '--norc', file],
  reservedMb: 64,
  environment: ({ dir, join }) => ({ BASH_LIBRARY: join(dir, 'library') }),
  environmentOfAll: { BASH_SILENCE_DEPRECATION_WARNING: '1' },
  vendoring: {
    manifest: 'library.txt',
    isJson: false,
    runsIn: 'project',
    place: { folder: 'library' },
    copies: [],
    removes: [],
    plan: ({ manifest, absolute }) => ({
      line: 'Copying the library',
      stamp: [manifest],
      always: false,
      tool: 'cp',
      args: (target) => [absolute(manifest.trim()), target],
      files: {},
    }),
  },
  // Without --norc, Bash takes the socket that it reads from for a remote shell, and runs ~/.bashrc first.
  syntax: { extension: '.bash5', args: ['--norc', '-c', SYNTAX] },
  failure: {
    readTrace,
    exception: 'EXIT_CODE',
    missingModule: {
      code: 'LIBRARY_MISSING',
      match: [/: ([^\s:]{1,200}): command not found$/],
      action: (command) => `Put ${command} into the library.`,
    },
  },
  doctor: {
    id: 'bash',
    name: 'Bash',
    why: 'Bots written in Bash run with it.',
    program: 'bash',
    args: ['--version'],
    least: '5.0',
    advice: 'Bash bots need Bash 5.0 or later.',
  },
};
