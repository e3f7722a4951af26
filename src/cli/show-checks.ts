import type { Check, Level } from './check-result.ts';
import type { Context } from './command.ts';
import { typedHint } from './copyable-command.ts';
import { EXIT } from './exit-codes.ts';
import { paint, printable } from './terminal-text.ts';

const SIGNS = { ok: ['✓', 'green'], spare: ['–', 'dim'], note: ['!', 'yellow'], fault: ['✗', 'red'] } as const;
const NAME_CHARS = 17;
const INDENT = ' '.repeat(NAME_CHARS + 3);

/** Shows the checks, and for each problem why it matters and what to do. */
export function showChecks({ out, name: called }: Context, checks: readonly Check[]): void {
  for (const { level, name, message, why, hint } of checks) {
    const [sign, style] = SIGNS[level];
    const grave = level === 'note' || level === 'fault';
    out.line(`${paint(out.colours, style, sign)} ${name.padEnd(NAME_CHARS)} ${printable(message)}`);
    if (grave) out.line(paint(out.colours, 'dim', `${INDENT}${why}`));
    if (hint !== null) out.line(paint(out.colours, grave ? 'bold' : 'dim', `${INDENT}${typedHint(called, hint)}`));
  }
}

export const countOf = (checks: readonly Check[], level: Level): number =>
  checks.filter((one) => one.level === level).length;

/** The checks as JSON: a stable shape, with what a fix would do as text. */
export function toldChecks(checks: readonly Check[]): object {
  return {
    checks: checks.map(({ fix, ...check }) => ({ ...check, fix: fix?.what ?? null })),
    faults: countOf(checks, 'fault'),
    notes: countOf(checks, 'note'),
  };
}

/** The exit code of a checking command (docs/cli.md#exit-codes). */
export function exitCodeOfChecks(checks: readonly Check[]): number {
  if (countOf(checks, 'fault') > 0) return EXIT.faultsFound;
  return countOf(checks, 'note') > 0 ? EXIT.notesFound : EXIT.ok;
}
