import { statSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';

/**
 * Entry of `platform doctor`: `node inspect.js <data folder>` inspects the folder with the host's own modules and
 * prints one line of JSON (contract/doctor-inspection.ts); it changes nothing. `--docker-host` names the engine that the
 * running host uses. With `--tidy` it removes the remains of a killed host and prints `{"removed":[…]}`, or
 * `{"error":…}`. With `--going-on` it only counts the bots that go on without a host: `{"going_on":2}`.
 */
const AHEAD_MS = 120_000;

async function inspect(dir: string, dockerHost: string | null): Promise<object> {
  const { dataFolderAt } = await import('../node/data-folder.ts');
  const { inspectLock, leftFiles } = await import('./host/inspect/left-files.ts');
  const { countRunningBots } = await import('./host/inspect/running-bots.ts');
  const folder = dataFolderAt(dir);
  // The module that the host works with: where it does not load, nothing else matters.
  const { default: Database } = await import('better-sqlite3');
  new Database(':memory:').close();
  const { inspectDatabases } = await import('./host/inspect/databases.ts');
  const { inspectPlace } = await import('./host/inspect/data-folder-place.ts');
  const { inspectDocker } = await import('./host/engine/docker/inspect-docker.ts');
  const { Sandbox } = await import('./host/engine/process/sandbox.ts');
  const { resourcesDir } = await import('./host/compose/product-resources.ts');
  const { readSettings } = await import('./host/compose/settings.ts');
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
    place: await inspectPlace(folder, process.env.PLATFORM_HOST_IDENTITY || null),
    left: lock.state === 'held' ? [] : await leftFiles(folder),
    going_on: lock.state === 'held' ? null : await countRunningBots(folder),
    ...inspectDatabases(folder, Date.now),
    future: latest > Date.now() + AHEAD_MS ? latest : null,
    containers: await inspectDocker(dockerHost ?? settings.docker_host ?? null),
    sandbox:
      process.platform === 'linux'
        ? await new Sandbox(`${resourcesDir}/sandbox`, { database: folder.controlDatabase }).trial()
        : null,
  };
}

async function main(): Promise<object> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { tidy: { type: 'boolean' }, 'going-on': { type: 'boolean' }, 'docker-host': { type: 'string' } },
  });
  const dir = positionals[0] ?? '';
  const { dataFolderAt } = await import('../node/data-folder.ts');
  if (values.tidy === true) {
    const { tidy } = await import('./host/inspect/left-files.ts');
    return { removed: await tidy(dataFolderAt(dir)) };
  }
  if (values['going-on'] === true) {
    const { countRunningBots } = await import('./host/inspect/running-bots.ts');
    return { going_on: await countRunningBots(dataFolderAt(dir)) };
  }
  return inspect(dir, values['docker-host'] ?? null);
}

try {
  const found = await main();
  process.stdout.write(`${JSON.stringify(found)}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`);
  process.exitCode = 1;
}
