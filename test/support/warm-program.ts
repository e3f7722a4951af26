import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { WarmChannel } from '../../src/main/host/engine/engine.ts';
import { createWarmChannel } from '../../src/main/host/engine/warm-channel.ts';
import { type Ended, endOf } from './child-program.ts';
import { atFileEnd } from './file-end.ts';

const running: { readonly child: ChildProcess; readonly ended: Promise<Ended> }[] = [];
atFileEnd(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.splice(0).map(({ ended }) => ended));
});

/** Starts a program as an engine starts one that waits for its question, with its reports on descriptor 4. */
export function startWarm(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): { readonly child: ChildProcess; readonly ended: Promise<Ended>; readonly warm: WarmChannel } {
  const env = { ...options.env, PLATFORM_QUERY_WARM: '4' };
  const stdio = ['pipe', 'pipe', 'pipe', 'ignore', 'pipe'] as const;
  const child = spawn(command, args, { cwd: options.cwd, env, stdio: [...stdio] });
  const ended = endOf(child);
  running.push({ child, ended });
  const reports = child.stdio[4];
  if (child.stdin === null || !(reports instanceof Readable)) throw new Error('no pipes');
  // 'exit' may come before the last word was read: a host goes on to the answer's file then, a test wants the word.
  return { child, ended, warm: createWarmChannel({ input: child.stdin, reports, exited: once(child, 'close') }) };
}
