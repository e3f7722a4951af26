import { PlatformError } from '../contract/errors.ts';
import { isJsonObject } from '../shared/json.ts';
import { problemHeading } from '../shared/problem-heading.ts';
import type { Output } from './command.ts';
import { type CommandName, commandName, typed, typedHint } from './copyable-command.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { paint, printable } from './terminal-text.ts';
import { UsageError } from './usage-error.ts';

function requestIdOf(error: PlatformError): string | null {
  return 'requestId' in error && typeof error.requestId === 'string' ? error.requestId : null;
}

/** A text of several lines keeps its lines, each made safe and indented. */
function block(text: string, indent = '  '): string {
  return text
    .split('\n')
    .map((line) => printable(line))
    .join(`\n${indent}`);
}

function messageOf(error: PlatformError, problems: readonly string[]): string {
  if (problems.length === 0 || !Array.isArray(error.details)) return block(error.message);
  return problemHeading(error.code, error.details.filter(isJsonObject)) ?? block(error.message);
}

/** The list of problems; message and hint already name a single one. */
function problemLines(details: unknown, name: CommandName): string[] {
  if (!Array.isArray(details) || details.length < 2) return [];
  return details.filter(isJsonObject).flatMap(({ path, message, hint }) => {
    const place = typeof path === 'string' && path !== '' ? `${path}: ` : '';
    const next = typeof hint === 'string' && hint !== '' ? [`    ${block(typedHint(name, hint), '    ')}`] : [];
    return [`  - ${block(`${place}${String(message)}`, '    ')}`, ...next];
  });
}

function forPeople(error: PlatformError, requestId: string | null, colours: boolean, name: CommandName): string {
  const problems = problemLines(error.details, name);
  const next = error.hint === null ? null : typedHint(name, error.hint);
  // The hint of a list is that of its first problem, which stands with it.
  const hint = next === null || problems.some((line) => line.trim() === next) ? [] : [next];
  return [
    `${paint(colours, 'red', 'error:')} ${messageOf(error, problems)}`,
    ...hint.map((text) => `  ${block(text)}`),
    ...problems,
    paint(colours, 'dim', `  code ${error.code}${requestId === null ? '' : `, request ${printable(requestId)}`}`),
  ].join('\n');
}

/** Hint for other errors: the system refused something, or this program has a fault. */
function unexpectedHint(error: unknown): string {
  return error instanceof Error && 'syscall' in error
    ? 'The operating system refused that: check that the file or folder is yours and that the disk has room.'
    : 'This is a fault of the command line itself. Please report it with what you did.';
}

/** Reports an error on stderr, for people or as the one error object, and gives the exit code. */
export function showError(
  error: unknown,
  out: Pick<Output, 'json' | 'colours' | 'note'>,
  name: CommandName = commandName({}),
): number {
  const told = (body: { code: string; message: string; hint: string }): void => {
    const whole = { ...body, details: null, request_id: null };
    out.note(
      out.json
        ? JSON.stringify({ error: whole })
        : `${paint(out.colours, 'red', 'error:')} ${block(body.message)}\n  ${body.hint}`,
    );
  };
  if (error instanceof UsageError) {
    const hint = `Help: ${typed(name, `${error.words}${error.words === '' ? '' : ' '}--help`)}`;
    told({ code: 'INVALID_REQUEST', message: error.message, hint });
    return EXIT.usage;
  }
  if (!(error instanceof PlatformError)) {
    const message = error instanceof Error ? error.message : String(error);
    told({ code: 'INTERNAL', message, hint: unexpectedHint(error) });
    return EXIT.internal;
  }
  const requestId = requestIdOf(error);
  out.note(
    out.json ? JSON.stringify({ error: error.toBody(requestId) }) : forPeople(error, requestId, out.colours, name),
  );
  return exitCodeOf(error.code);
}
