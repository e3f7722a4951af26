import type { Failure } from '../contract/failure.ts';
import { type CommandName, typed, typedHint } from './copyable-command.ts';
import { paint, printable } from './terminal-text.ts';

/** A command of the host's (`platform bot get bot_1`) as it is typed here. */
function asTyped(name: CommandName, command: string): string {
  return printable(typed(name, command.replace(/^platform /, '')));
}

function timesText({ repeats, last_worked_at }: Failure): string {
  const often = repeats > 1 ? `${repeats} times in a row` : 'once';
  return `${often}; ${last_worked_at === null ? 'it has not worked before' : `it last worked ${last_worked_at}`}`;
}

/** The sentence and what to do, for a place where a bot is shown among other things. */
export function failureSummary(failure: Failure, name: CommandName): [string, string][] {
  return [
    ['failure', `${failure.code}: ${printable(failure.message)}`],
    ['what to do', printable(typedHint(name, failure.next.action))],
  ];
}

/** A failure for people: what, where, the lines that show it, what changed, what to do. */
export function failureLines(failure: Failure, name: CommandName, colours: boolean): string[] {
  const title = (text: string): string[] => ['', paint(colours, 'bold', text)];
  const ended = failure.signal ?? (failure.exit_code === null ? null : `exit code ${failure.exit_code}`);
  const lines = failure.evidence.map(
    ({ ts, source, message }) => `  ${ts}  ${source.padEnd(6)}  ${printable(message)}`,
  );
  const changes = failure.changes.map(({ at, message }) => `  ${at}  ${printable(message)}`);
  const since = failure.last_worked_at === null ? 'What was changed so far' : 'What changed since it last worked';
  const listed = changes.length === 0 ? ['  nothing of the bot: no version, config, schedule or option'] : changes;
  const commands = failure.next.commands.map((command) => `  ${asTyped(name, command)}`);
  return [
    paint(colours, 'red', `✖ ${printable(failure.message)}`),
    `  ${failure.code}, step ${failure.step}, ${failure.at}${ended === null ? '' : `, ${ended}`}`,
    `  ${timesText(failure)}`,
    ...(lines.length === 0 ? [] : [...title('What shows it'), ...lines]),
    ...(changes.length === 0 && failure.last_worked_at === null ? [] : [...title(since), ...listed]),
    ...title('What to do'),
    `  ${printable(typedHint(name, failure.next.action))}`,
    ...commands,
  ];
}
