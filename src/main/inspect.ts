import { statSync } from 'node:fs';
import process from 'node:process';

/**
 * Entry of `platform doctor`: `node inspect.js <data folder>` looks at what only the host's own modules can tell and prints
 * one line of JSON (contract/inspection.ts); it changes nothing. With `--tidy` it removes what a killed host left, and
 * prints `{"removed":[…]}`, or `{"error":…}`.
 */
const AHEAD_MS = 120_000;

async function main(dir: string, tidying: boolean): Promise<object> {
  const { dataFolderAt } = await import('./base/data-folder.ts');
  const { inspectLock, leftFiles, tidy } = await import('./inspect/left-files.ts');
  const folder = dataFolderAt(dir);
  if (tidying) return { removed: await tidy(folder) };
  // The module that the host works with: where it does not load, nothing else matters.
  const { default: Database } = await import('better-sqlite3');
  new Database(':memory:').close();
  const { inspectDatabases } = await import('./inspect/databases.ts');
  const { inspectDocker } = await import('./inspect/docker.ts');
  const { readSettings } = await import('./host/settings.ts');
  const { PlatformError } = await import('../contract/errors.ts');
  let settings: ReturnType<typeof readSettings> = {};
  let problem: string | null = null;
  try {
    settings = readSettings(dir);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    problem = error.message;
  }
  const lock = await inspectLock(folder);
  const times = [folder.controlDatabase, `${folder.controlDatabase}-wal`, folder.logFile].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  const latest = Math.max(...times);
  return {
    settings: { problem, port: settings.port ?? null, engine: settings.engine ?? null },
    lock,
    left: lock.state === 'held' ? [] : await leftFiles(folder),
    ...inspectDatabases(folder, Date.now),
    future: latest > Date.now() + AHEAD_MS ? latest : null,
    docker: await inspectDocker(settings.docker_host ?? null),
  };
}

const [dir = '', flag] = process.argv.slice(2);
try {
  process.stdout.write(`${JSON.stringify(await main(dir, flag === '--tidy'))}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`);
  process.exitCode = 1;
}
