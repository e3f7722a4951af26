import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PATIENCE_MS = 10_000;

/** First line of a program's output; null when it cannot run. */
export async function firstOutputLine(program: string, ...args: string[]): Promise<string | null> {
  try {
    const { stdout, stderr } = await run(program, args, { timeout: PATIENCE_MS });
    return (stdout || stderr).split('\n')[0]?.trim() ?? '';
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}
