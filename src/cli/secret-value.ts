import { invalid } from '../contract/errors.ts';
import type { Context } from './command.ts';
import { readHidden } from './prompt-password.ts';

/**
 * A value that nobody else may see: typed twice, hidden, at a terminal, else all of stdin without its last line end. Never from an
 * argument: others can read those.
 */
export async function readSecretValue(context: Context, question: string): Promise<string> {
  if (process.stdin.isTTY !== true) {
    const text = await context.readStdin();
    if (text !== '') return text;
    throw invalid('INVALID_REQUEST', [
      { path: 'stdin', message: 'is empty', hint: 'Pipe the value in, or type it at a terminal.' },
    ]);
  }
  const value = await readHidden(`${question}: `);
  if (value === (await readHidden('Again: '))) return value;
  throw invalid('INVALID_REQUEST', [{ path: 'value', message: 'the two differ', hint: 'Try again.' }]);
}
