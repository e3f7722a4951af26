import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { invalid } from '../contract/errors.ts';
import type { Arguments, Context } from './command.ts';
import { Interrupted } from './interrupted.ts';

/** Reads a line from the terminal without showing it. */
export function readHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  // The terminal shows what is typed before the line above.
  process.stderr.write(question);
  return new Promise((resolve, reject) => {
    // Ctrl-C and the end of input close it without an answer; after one this changes nothing any more.
    prompt.once('close', () => {
      process.stderr.write('\n');
      reject(new Interrupted());
    });
    prompt.question('', (answer) => {
      resolve(answer);
      prompt.close();
    });
  });
}

/** A password that is known: from stdin (--password-stdin) or typed once, hidden. */
export async function askPassword(context: Context, args: Arguments): Promise<string> {
  if (args.flag('password-stdin')) return context.readStdin();
  if (process.stdin.isTTY === true) return readHidden('Password: ');
  throw invalid('INVALID_REQUEST', [
    {
      path: 'password',
      message: 'cannot be asked for without a terminal',
      hint: 'Pipe it in with --password-stdin.',
    },
  ]);
}

/**
 * The old password and a new one: two lines of stdin (--password-stdin), or typed, hidden. An empty old password means
 * that there is none.
 */
export async function readChange(
  context: Context,
  args: Arguments,
): Promise<{ readonly old: string; readonly next: string }> {
  if (!args.flag('password-stdin') && process.stdin.isTTY === true) {
    const old = await readHidden('Old password: ');
    return { old, next: await readPassword(context, args) };
  }
  const [old = '', next, ...rest] = (await askPassword(context, args)).split(/\r?\n/);
  if (next !== undefined && rest.length === 0) return { old, next };
  const hint = 'Give two lines: the old password, then the new one.';
  throw invalid('INVALID_REQUEST', [{ path: '--password-stdin', message: 'needs two lines', hint }]);
}

/** A new password from stdin (--password-stdin) or typed twice, hidden. Never from an argument: others can read those. */
export async function readPassword(context: Context, args: Arguments): Promise<string> {
  const first = await askPassword(context, args);
  if (args.flag('password-stdin')) return first;
  if (first === (await readHidden('Again: '))) return first;
  throw invalid('INVALID_REQUEST', [{ path: 'password', message: 'the two differ', hint: 'Try again.' }]);
}
