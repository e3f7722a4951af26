import { ENGINE_NAMES } from '../contract/engine-choices.ts';
import type { HostProcess } from '../node/host-process.ts';
import type { Arguments, Context, OptionSpec } from './command.ts';
import { typed } from './copyable-command.ts';
import { EXIT } from './exit-codes.ts';
import { pageLink } from './page-link.ts';
import { startHost } from './start-host-on-folder.ts';
import { paint } from './terminal-text.ts';

/** Options of the commands that start a host; the host itself checks them. */
export const HOST_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  port: { type: 'string', value: 'N', help: 'Port; a taken one is an error then (default 4747, else the next free)' },
  listen: { type: 'string', value: 'ADDRESS', help: 'Address to listen on (default 127.0.0.1)' },
  insecure: { type: 'boolean', help: 'Listen beyond this machine without encryption' },
  'tls-key': { type: 'string', value: 'FILE', help: 'Key for encryption, PEM' },
  'tls-cert': { type: 'string', value: 'FILE', help: 'Certificate for encryption, PEM' },
  'retention-days': { type: 'string', value: 'N', help: 'Days that log lines are kept (default 30)' },
  'retention-mb': { type: 'string', value: 'N', help: 'Megabytes of log kept per bot (default 512)' },
  'rate-limit': { type: 'string', value: 'N', help: 'Requests that one key may send per second (default 200)' },
  engine: {
    type: 'string',
    value: 'NAME',
    help: `What runs bots: ${ENGINE_NAMES.join(', ')} or auto, the first available (default)`,
  },
  'docker-host': {
    type: 'string',
    value: 'URL',
    help: 'Where the container engine is, e.g. unix:///run/user/1000/docker.sock',
  },
  'host-identity': {
    type: 'string',
    value: 'NAME',
    help: 'Name of this place, where the system tells none (containers, network disks)',
  },
  'key-folder': {
    type: 'string',
    value: 'DIR',
    help: 'Where the keys that seal secrets are (PLATFORM_KEY_FOLDER); not in the data',
  },
  'keep-awake': { type: 'boolean', help: 'The machine does not go to sleep while the host runs' },
  'leave-bots': { type: 'boolean', help: 'When the host stops, bots go on; the next host takes them over' },
};

/** The host's own flags, as they were given to the command. */
export function hostFlags(args: Arguments): string[] {
  return Object.entries(HOST_OPTIONS).flatMap(([name, { type }]) => {
    const value = type === 'boolean' ? null : args.text(name);
    if (value === null) return args.flag(name) ? [`--${name}`] : [];
    return value === undefined ? [] : [`--${name}`, value];
  });
}

/** Says where everything is. */
export async function showPlaces(context: Context, host: Pick<HostProcess, 'url' | 'notes'>): Promise<void> {
  const { out, dataDir } = context;
  for (const note of host.notes) out.line(paint(out.colours, 'yellow', note));
  const page = await pageLink(context, host.url);
  const rows = [
    ['Page', page.address],
    ['', page.about],
    ['API', `${host.url}/api/v1/openapi.json`],
    ['Prices', `${host.url}/feed (offline; a base_url for bots)`],
    ['Data', dataDir],
  ];
  for (const [name = '', value = ''] of rows) out.line(`  ${paint(out.colours, 'dim', name.padEnd(8))}${value}`);
}

/** Runs a host in the foreground until Ctrl-C. */
export async function serveInForeground(context: Context, args: Arguments): Promise<number> {
  const { out, dataDir, env, name, signal } = context;
  const host = await startHost({ dataDir, env, flags: hostFlags(args), background: false });
  out.data({ ready: true, url: host.url, pid: host.pid, data_dir: dataDir, notes: host.notes });
  out.line(paint(out.colours, 'bold', 'The host is running.'));
  await showPlaces(context, host);
  out.line();
  out.line(`Try in another terminal: ${typed(name, 'bot list')}`);
  out.line('Ctrl-C stops the host.');
  const stop = (): void => {
    out.line();
    out.line(args.flag('leave-bots') ? 'Stopping; bots go on.' : 'Stopping the host and its bots…');
    host.stop();
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  const { code } = await host.exited;
  return code === 0 ? EXIT.ok : EXIT.internal;
}
