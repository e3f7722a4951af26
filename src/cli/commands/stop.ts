import { setTimeout as wait } from 'node:timers/promises';
import { PlatformError } from '../../contract/errors.ts';
import { identify, isAlive } from '../../node/process-identity.ts';
import type { Command, Context } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { readDiscovery, runningHost } from '../discovery.ts';
import { deadHost } from '../explain-error.ts';

const LONGEST_MS = 60_000;
const STEP_MS = 50;

interface Nothing {
  /** Number of bots that go on without a host; null where it is unknown. */
  readonly goingOn: number | null;
  readonly lines: readonly string[];
}

/** Returns the message for a data folder with nothing to stop; null where a host may run. */
async function nothingToStop(context: Context): Promise<Nothing | null> {
  const { url, env, dataDir, name } = context;
  if ((url ?? env.PLATFORM_URL ?? '') !== '') return null;
  const dead = await deadHost(context);
  if (dead === null && readDiscovery(dataDir) !== null) return null;
  const { countRunningBots, goOn } = await import('../doctor/run-inspect.ts');
  const goingOn = await countRunningBots(dataDir);
  const first =
    dead === null
      ? `No host runs on ${dataDir}`
      : `The host (process ${dead}) is gone already; it ended without stopping its bots`;
  if (goingOn === 0)
    return { goingOn, lines: [`${first}${dead === null ? ': nothing to stop.' : ', but none goes on.'}`] };
  const bots = goingOn === null ? 'It is unknown whether bots still run' : `${goOn(goingOn)} without a host`;
  return {
    goingOn,
    lines: [
      `${first}.`,
      `${bots}; ${typed(name, 'start')} takes them over.`,
      `To stop them, too: ${typed(name, 'start', '--detach')}, then ${typed(name, 'stop')}`,
    ],
  };
}

export const command: Command = {
  positionals: [],
  options: { 'leave-bots': { type: 'boolean', help: 'Bots go on; the next host takes them over' } },
  description: 'Stops the host and its bots, and waits until they have ended. Without a host there is nothing to do.',
  examples: ['platform stop', 'platform stop --leave-bots'],
  async run(context, args) {
    const { client, out, signal } = context;
    const nothing = await nothingToStop(context);
    if (nothing !== null) {
      out.data({ ok: true, was_running: false, bots_going_on: nothing.goingOn });
      for (const line of nothing.lines) out.line(line);
      return 0;
    }
    const host = await client();
    const { pid: told } = await host.call('host.get', {});
    // The host does not tell its pid to a key: on the host's own machine the data folder has it.
    const here = told === null ? await runningHost(context.dataDir) : null;
    const pid = told ?? (here?.url === host.url ? here.pid : null);
    const local = /^https?:\/\/(127\.|localhost|\[::1\])/.test(host.url);
    const ending = local && pid !== null ? await identify(pid) : null;
    await host.call('host.stop', { leave_bots: args.flag('leave-bots') });
    const end = Date.now() + LONGEST_MS;
    while (ending !== null && (await isAlive(ending))) {
      if (Date.now() > end) {
        throw new PlatformError('HOST_UNREACHABLE', `The host (process ${pid}) has not ended yet`, {
          hint: 'Look into host.log in the data folder.',
        });
      }
      await wait(STEP_MS, undefined, { signal });
    }
    out.data({ ok: true, was_running: true });
    out.line(args.flag('leave-bots') ? 'The host has stopped. Its bots go on.' : 'The host has stopped, and its bots.');
    return 0;
  },
};
