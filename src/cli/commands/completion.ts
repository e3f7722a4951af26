import type { Command } from '../command.ts';
import { UsageError } from '../usage-error.ts';

/** Words to complete: the first words of commands, and the second words of groups. */
interface Words {
  readonly firsts: readonly string[];
  readonly groups: readonly (readonly [string, string])[];
}

function wordsOf(commands: readonly string[]): Words {
  const firsts = [...new Set(commands.map((words) => words.split(' ')[0] ?? ''))];
  const groups = firsts.flatMap((first): [string, string][] => {
    const own = commands.filter((words) => words.startsWith(`${first} `)).map((words) => words.split(' ')[1] ?? '');
    return own.length === 0 ? [] : [[first, own.join(' ')]];
  });
  return { firsts, groups };
}

const bash = ({ firsts, groups }: Words): string => `_platform() {
  local words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="${firsts.join(' ')}"
  elif [ "$COMP_CWORD" -eq 2 ]; then
    case "\${COMP_WORDS[1]}" in
${groups.map(([first, seconds]) => `      ${first}) words="${seconds}" ;;`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _platform platform
`;

const zsh = ({ firsts, groups }: Words): string => `#compdef platform
_platform() {
  if (( CURRENT == 2 )); then compadd -- ${firsts.join(' ')}
  elif (( CURRENT == 3 )); then
    case "$words[2]" in
${groups.map(([first, seconds]) => `      ${first}) compadd -- ${seconds} ;;`).join('\n')}
      *) _files ;;
    esac
  else _files
  fi
}
compdef _platform platform
`;

const fish = ({ firsts, groups }: Words): string =>
  [
    `complete -c platform -n __fish_use_subcommand -f -a "${firsts.join(' ')}"`,
    ...groups.map(
      ([first, seconds]) =>
        `complete -c platform -n "__fish_seen_subcommand_from ${first}; and test (count (commandline -opc)) -eq 2" -f -a "${seconds}"`,
    ),
    '',
  ].join('\n');

const SHELLS: Readonly<Record<string, (words: Words) => string>> = { bash, zsh, fish };

export const command: Command = {
  positionals: ['<shell>'],
  options: {},
  description: 'Prints a completion script for bash, zsh or fish.',
  examples: [
    'source <(platform completion bash)',
    'platform completion fish > ~/.config/fish/completions/platform.fish',
  ],
  async run({ out, commands }, { positionals: [shell = ''] }) {
    const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
    if (script === undefined) throw new UsageError(`The shell is bash, zsh or fish, not "${shell}".`, 'completion');
    out.raw(script(wordsOf(commands)));
    return 0;
  },
};
