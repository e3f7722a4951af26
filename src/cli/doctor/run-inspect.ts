import { execFile } from 'node:child_process';
import { isJsonObject } from '../../shared/json.ts';
import { hostNode, INSPECT_FILE } from '../product-paths.ts';

const PATIENCE_MS = 60_000;
const MOST_OUTPUT = 16 * 1024 * 1024;

/** Runs the host's own inspection of a data folder; returns its output, or why it failed. */
export function runInspect(dataDir: string, ...flags: string[]): Promise<{ value: unknown } | { broken: string }> {
  const options = { timeout: PATIENCE_MS, maxBuffer: MOST_OUTPUT };
  return new Promise((resolve) => {
    execFile(hostNode(), [INSPECT_FILE, dataDir, ...flags], options, (error, stdout, stderr) => {
      try {
        const value: unknown = JSON.parse(stdout);
        const said = isJsonObject(value) && typeof value.error === 'string' ? value.error : null;
        resolve(said === null ? { value } : { broken: said });
      } catch (cause) {
        if (!(cause instanceof SyntaxError)) throw cause;
        const ended = error?.signal ? `ended by ${error.signal}` : (error?.message ?? 'it said nothing');
        resolve({ broken: (stderr.trim().split('\n').at(-1) || ended).trim() });
      }
    });
  });
}

/** Bots whose programs go on in a folder without a host; null where that cannot be told. */
export async function countRunningBots(dataDir: string): Promise<number | null> {
  const result = await runInspect(dataDir, '--going-on');
  const count = 'value' in result && isJsonObject(result.value) ? result.value.going_on : null;
  return typeof count === 'number' ? count : null;
}

/** "1 bot goes on", "3 bots go on". */
export const goOn = (count: number): string => (count === 1 ? '1 bot goes on' : `${count} bots go on`);
