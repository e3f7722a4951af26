import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { LIMITS } from '../../contract/limits.ts';

/** What a bot reported: its JSON, nothing, or why the file could not be read as a result. */
export type BotResult =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'unreadable'; readonly why: string };

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Reads RESULT_FILE (wire.md sections 1 and 4): at most 1 MiB, a regular file, never through a link. */
export async function readResultFile(file: string): Promise<BotResult> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (isMissing(error)) return { kind: 'none' };
    return { kind: 'unreadable', why: error instanceof Error ? error.message : String(error) };
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return { kind: 'unreadable', why: 'the result is not a regular file' };
    if (stat.size > LIMITS.resultBytes)
      return { kind: 'unreadable', why: `the result is over ${LIMITS.resultBytes} bytes` };
    const text = (await handle.readFile('utf8')).trim();
    if (text === '') return { kind: 'none' };
    return { kind: 'value', value: JSON.parse(text) };
  } catch (error) {
    return { kind: 'unreadable', why: error instanceof Error ? error.message : String(error) };
  } finally {
    await handle.close();
  }
}

/** True when the bot itself said it failed: `{"status":"error", …}`. */
export function saysError(
  result: BotResult,
): result is { kind: 'value'; value: { status: 'error'; message?: unknown } } {
  const value = result.kind === 'value' ? result.value : null;
  return typeof value === 'object' && value !== null && 'status' in value && value.status === 'error';
}
