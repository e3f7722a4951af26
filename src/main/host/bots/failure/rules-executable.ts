import { PUBLISH, type Rule } from './rule.ts';

/** The bot's code could not be loaded: none of it has run. */
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
];
