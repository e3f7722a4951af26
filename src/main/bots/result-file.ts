import { LIMITS } from '../../contract/limits.ts';
import { readBounded } from '../base/bounded-read.ts';
import { jsonErrorPlace } from '../base/json-place.ts';
import { errorText } from '../base/system-error.ts';

/** What a bot reported: its JSON, nothing, or why the file could not be read as a result. */
export type BotResult =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'unreadable'; readonly why: string };

const unreadable = (why: string): BotResult => ({ kind: 'unreadable', why });

/** Reads RESULT_FILE (wire.md sections 1 and 4): at most 1 MiB, a regular file, never through a link. */
export async function readResultFile(file: string): Promise<BotResult> {
  try {
    const result = await readBounded(file, LIMITS.resultBytes);
    if (result === 'missing') return { kind: 'none' };
    if (result === 'strange') return unreadable('the result is not a regular file');
    if (result === 'too large') return unreadable(`the result is over ${LIMITS.resultBytes} bytes`);
    const text = result.text.trim();
    return text === '' ? { kind: 'none' } : { kind: 'value', value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return unreadable(`the result is not JSON${jsonErrorPlace(error)}`);
    return unreadable(errorText(error));
  }
}

/** True when the bot itself said it failed: `{"status":"error", …}`. */
export function saysError(
  result: BotResult,
): result is { kind: 'value'; value: { status: 'error'; message?: unknown } } {
  const value = result.kind === 'value' ? result.value : null;
  return typeof value === 'object' && value !== null && 'status' in value && value.status === 'error';
}
