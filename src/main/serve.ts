import process from 'node:process';
import { OLDEST_NODE } from '../node/bundled-node.ts';

/**
 * Entry of the host process: `platform serve` and the desktop start this same file. Its first line on stdout is JSON:
 * `{"ready":true,"url":…,"pid":…}` or `{"ready":false,"error":…}`; what follows is for people.
 */
function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Who asks the host to stop: a signal, or the end of the process that has started it. */
type StopRequest = 'signal' | 'parent';

/**
 * Resolves once a stop is asked for. It listens before anything is loaded: a signal during the start would end the process
 * at once otherwise, and leave bots without a host that were to be stopped.
 */
function stopRequests(): Promise<StopRequest> {
  const { promise, resolve } = Promise.withResolvers<StopRequest>();
  let signals = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      signals += 1;
      if (signals === 1) resolve('signal');
      else process.exit(130);
    });
  }
  // A parent that was killed closes the channel, maybe before this process listens; a host without its terminal or window
  // must not go on unseen.
  if (process.connected === false) resolve('parent');
  else if (process.channel !== undefined) process.on('disconnect', () => resolve('parent'));
  // A host that could not start ends, although its parent is there.
  process.channel?.unref();
  return promise;
}

/** Lets the host end in order after its parent was killed, which has left the pipes of its output broken. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (!('code' in error) || error.code !== 'EPIPE') throw error;
    });
  }
}

async function main(): Promise<void> {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < OLDEST_NODE) {
    // better-sqlite3 crashes under an older Node without a message, so it is not imported before this check.
    const message = `The host needs Node ${OLDEST_NODE} or later and was started with ${process.versions.node}.`;
    say({
      ready: false,
      error: { code: 'INTERNAL', message, hint: 'Run `npm ci`: it brings the right Node, and npm scripts use it.' },
    });
    process.exitCode = 1;
    return;
  }
  const asked = stopRequests();
  outliveReaders();
  const { parseHostFlags } = await import('./host/compose/flags.ts');
  const { startHost } = await import('./host/compose/host.ts');
  const { PlatformError } = await import('../contract/errors.ts');
  try {
    const flags = parseHostFlags(process.argv.slice(2), process.env);
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
    asked.then((who) => end(flags.leaveBots || (who === 'parent' && flags.leaveBotsIfParentDies)));
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
