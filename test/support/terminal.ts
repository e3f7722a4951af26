import type { CliResult, TestHost } from './platform.ts';

/** What a command asks in its terminal, and what its person then types. */
export type Answer = readonly [question: string, typed: string];

/** Runs a command of the command line in a terminal, and answers its questions in this order. */
export function inTerminal(host: TestHost, answers: readonly Answer[], ...args: string[]): Promise<CliResult> {
  const child = host.spawnCli({ terminal: true }, ...args);
  const waiting = [...answers];
  let stdout = '';
  let seen = 0;
  child.stdout?.on('data', (chunk) => {
    stdout += String(chunk);
    const [next] = waiting;
    const at = next === undefined ? -1 : stdout.indexOf(next[0], seen);
    if (next === undefined || at < 0) return;
    waiting.shift();
    seen = at + next[0].length;
    child.stdin?.write(`${next[1]}\r`);
  });
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr: '' }));
  });
}
