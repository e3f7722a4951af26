import { createInterface } from 'node:readline/promises';
import { Interrupted } from './interrupted.ts';

/** Reads a line of the terminal. Ctrl-C and the end of input reject. */
export async function readTyped(question: string, signal: AbortSignal): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<never>((_, reject) => prompt.once('close', () => reject(new Interrupted())));
  try {
    return await Promise.race([prompt.question(question, { signal }), closed]);
  } finally {
    closed.catch(() => undefined);
    prompt.close();
  }
}
