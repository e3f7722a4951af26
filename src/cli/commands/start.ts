import { PlatformError } from '../../contract/errors.ts';
import type { Arguments, Command, Context } from '../command.ts';
import { typed } from '../command-name.ts';
import { readDiscovery } from '../discovery.ts';
import { startHost } from '../host-process.ts';
import { HOST_OPTIONS, hostFlags, serveInForeground, showPlaces } from '../serve-host.ts';

/** Address of a host that runs on this data folder already and answers; null otherwise. */
async function runningHost({ dataDir }: Context): Promise<{ readonly url: string; readonly pid: number } | null> {
  const found = readDiscovery(dataDir);
  if (found === null) return null;
  const { createClient } = await import('../client.ts');
  try {
    await createClient({ url: found.url, credential: found.token }).call('auth.status', {});
    return found;
  } catch (error) {
    // A host that crashed leaves its file behind; the next one writes a new one.
    if (error instanceof PlatformError && (error.code === 'HOST_UNREACHABLE' || error.status === 401)) return null;
    throw error;
  }
}

/** Says that settings of a host that runs do not change by starting it again. */
function tellUnused({ out, name }: Context, args: Arguments): void {
  const given = Object.keys(HOST_OPTIONS).filter((option) => args.flag(option) || args.text(option) !== undefined);
  if (given.length === 0) return;
  const options = given.map((option) => `--${option}`).join(', ');
  const verb = given.length === 1 ? 'was' : 'were';
  out.note(`  ${options} ${verb} not applied. Stop it first: ${typed(name, 'stop')}`);
}

export const command: Command = {
  positionals: [],
  options: {
    ...HOST_OPTIONS,
    detach: { type: 'boolean', short: 'd', help: 'Run in the background; `platform stop` ends it' },
    headless: { type: 'boolean', help: 'Without a window' },
  },
  description:
    'Starts the host and says where things are. If one runs on this data folder already, it says where that is.',
  examples: ['platform start', 'platform start --detach'],
  async run(context, args) {
    const { out, dataDir, env, name } = context;
    const running = await runningHost(context);
    if (running !== null) {
      out.data({
        ready: true,
        already_running: true,
        url: running.url,
        pid: running.pid,
        data_dir: dataDir,
        notes: [],
      });
      out.line('The host is running already.');
      tellUnused(context, args);
      await showPlaces(context, { url: running.url, notes: [] });
      return 0;
    }
    if (!args.flag('detach')) return serveInForeground(context, args);
    const host = await startHost({ dataDir, env, flags: hostFlags(args), background: true });
    out.data({ ready: true, url: host.url, pid: host.pid, data_dir: dataDir, notes: host.notes });
    out.line(`The host runs in the background. Stop it with: ${typed(name, 'stop')}`);
    await showPlaces(context, host);
    return 0;
  },
};
