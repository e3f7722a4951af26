import { LIMITS } from '../../../contract/limits.ts';
import { jsonErrorPosition } from '../../../node/json-position-without-quote.ts';
import { errorText } from '../../../node/system-error.ts';
import type { Unit } from '../engine/engine.ts';

/** The result of a bot: its JSON, none, or why it is unreadable. */
export type BotResult =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'unreadable'; readonly why: string };

const unreadable = (why: string): BotResult => ({ kind: 'unreadable', why });

/** Reads what a program wrote to RESULT_FILE: at most 1 MiB. */
export async function readResult(unit: Pick<Unit, 'result'>): Promise<BotResult> {
  try {
    const result = await unit.result(LIMITS.resultBytes);
    if (result === 'missing') return { kind: 'none' };
    if (result === 'strange') return unreadable('the result is not a regular file');
    if (result === 'too large') return unreadable(`the result is over ${LIMITS.resultBytes} bytes`);
    const text = result.text.trim();
    return text === '' ? { kind: 'none' } : { kind: 'value', value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return unreadable(`the result is not JSON${jsonErrorPosition(error)}`);
    return unreadable(errorText(error));
  }
}

/** True when the bot itself reports failure: `{"status":"error", …}`. */
export function saysError(
  result: BotResult,
): result is { kind: 'value'; value: { status: 'error'; message?: unknown } } {
  const value = result.kind === 'value' ? result.value : null;
  return typeof value === 'object' && value !== null && 'status' in value && value.status === 'error';
}
