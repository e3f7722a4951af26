import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { childrenToEnd } from './processes.ts';

const folders = new Set<string>();
/** A host ends its bots first. */
const END_MS = 30_000;

/** A folder of this benchmark. It is removed by its maker, or when the benchmark is ended by a signal. */
export function tempFolder(what: string): string {
  if (folders.size === 0) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, endAll);
  const folder = mkdtempSync(join(tmpdir(), `bench-${what}-`));
  folders.add(folder);
  return folder;
}

/** Ends what this benchmark has started, and removes its folders. The Docker engine is left to the process beside it. */
async function endAll(): Promise<void> {
  const end = performance.now() + END_MS;
  for (let signal: NodeJS.Signals = 'SIGTERM'; ; signal = 'SIGKILL') {
    for (const pid of childrenToEnd()) process.kill(pid, signal);
    while (childrenToEnd().length > 0 && (signal === 'SIGKILL' || performance.now() < end)) await wait(50);
    if (childrenToEnd().length === 0) break;
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  process.exit(1);
}
