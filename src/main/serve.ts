import process from 'node:process';

/**
 * Entry of the host process: `platform serve` and the desktop start this same file. Its first line on stdout is JSON:
 * `{"ready":true,"url":…,"pid":…}` or `{"ready":false,"error":…}`; what follows is for people.
 */
const OLDEST_NODE = 22;

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/**
 * Resolves once a signal or the end of the parent asks for a stop, to whether bots go on. It listens before the host starts:
 * a signal during the start would end the process at once otherwise, and leave bots without a host that were to be stopped.
 */
function stopRequests(leaveBots: boolean): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let signals = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      signals += 1;
      if (signals === 1) resolve(leaveBots);
      else process.exit(130);
    });
  }
  // A parent that was killed closes the channel; a host without its terminal or window must not linger by accident.
  if (process.channel !== undefined) process.on('disconnect', () => resolve(leaveBots));
  // A host that could not start ends, although its parent is there.
  process.channel?.unref();
  return promise;
}

async function main(): Promise<void> {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < OLDEST_NODE) {
    // better-sqlite3 crashes under an older Node without a message, so nothing is imported before this check.
    const message = `The host needs Node ${OLDEST_NODE} or later and was started with ${process.versions.node}.`;
    say({
      ready: false,
      error: { code: 'INTERNAL', message, hint: 'Run `npm ci`: it brings the right Node, and npm scripts use it.' },
    });
    process.exitCode = 1;
    return;
  }
  const { parseHostFlags } = await import('./host/compose/flags.ts');
  const { startHost } = await import('./host/compose/host.ts');
  const { PlatformError } = await import('../contract/errors.ts');
  try {
    const flags = parseHostFlags(process.argv.slice(2), process.env);
    const asked = stopRequests(flags.leaveBots);
    const host = await startHost(flags);
    const end = (leave: boolean): void => {
      host.stop({ leave }).then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
          process.exit(1);
        },
      );
    };
    asked.then(end);
    host.onStopRequest(end);
    say({ ready: true, url: host.url, pid: process.pid, notes: host.notes });
  } catch (error) {
    const known =
      error instanceof PlatformError
        ? error
        : new PlatformError('INTERNAL', error instanceof Error ? error.message : String(error));
    say({ ready: false, error: known.toBody() });
    process.exitCode = 1;
  }
}

await main();
