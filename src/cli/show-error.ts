import { PlatformError } from '../contract/errors.ts';
import { isJsonObject } from '../isomorphic/json.ts';
import type { Output } from './command.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { paint, printable } from './text.ts';
import { UsageError } from './usage-error.ts';

function requestIdOf(error: PlatformError): string | null {
  return 'requestId' in error && typeof error.requestId === 'string' ? error.requestId : null;
}

function problemLines(details: unknown): string[] {
  if (!Array.isArray(details) || details.length < 2) return [];
  return details.filter(isJsonObject).map(({ path, message }) => `  - ${String(path)}: ${String(message)}`);
}

/** Tells an error on stderr, for people or as the one error object, and gives the exit code. */
export function showError(error: unknown, out: Pick<Output, 'json' | 'colours' | 'note'>): number {
  if (error instanceof UsageError) {
    const help = `Help: platform ${error.words}${error.words === '' ? '' : ' '}--help`;
    const body = { code: 'INVALID_REQUEST', message: error.message, hint: help, details: null, request_id: null };
    out.note(out.json ? JSON.stringify({ error: body }) : `${error.message}\n${help}`);
    return EXIT.usage;
  }
  if (!(error instanceof PlatformError)) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = 'This is a fault of the command line itself. Please report it with what you did.';
    const body = { code: 'INTERNAL', message, hint, details: null, request_id: null };
    out.note(out.json ? JSON.stringify({ error: body }) : `error: ${message}\n  ${hint}`);
    return EXIT.internal;
  }
  const requestId = requestIdOf(error);
  if (out.json) out.note(JSON.stringify({ error: error.toBody(requestId) }));
  else {
    const tail = `  code ${error.code}${requestId === null ? '' : `, request ${requestId}`}`;
    out.note(
      [
        `${paint(out.colours, 'red', 'error:')} ${printable(error.message)}`,
        ...problemLines(error.details).map(printable),
        ...(error.hint === null ? [] : [`  ${error.hint}`]),
        paint(out.colours, 'dim', tail),
      ].join('\n'),
    );
  }
  return exitCodeOf(error.code);
}
