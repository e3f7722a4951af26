import { PlatformError } from '../../contract/errors.ts';
import type { Arguments, Command, Context } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { runningHost } from '../discovery.ts';
import { EXIT } from '../exit-codes.ts';
import { HOST_OPTIONS, hostFlags, serveInForeground, showPlaces } from '../serve-host.ts';
import { startHost } from '../start-host-on-folder.ts';

/** Returns the address of a host that runs on this data folder already and answers; null otherwise. */
async function answeringHost({ dataDir }: Context): Promise<{ readonly url: string; readonly pid: number } | null> {
  const found = await runningHost(dataDir);
  if (found === null) return null;
  const { createClient } = await import('../client.ts');
  try {
    await createClient({ url: found.url, credential: found.token }).call('auth.status', {});
    return found;
  } catch (error) {
    // The host is about to end, or hangs: the lock of the folder refuses another one.
    if (error instanceof PlatformError && (error.code === 'HOST_UNREACHABLE' || error.status === 401)) return null;
    throw error;
  }
}

/** Says that a second start does not change the settings of a running host. */
function tellUnused({ out, name }: Context, args: Arguments): void {
  const given = Object.keys(HOST_OPTIONS).filter((option) => args.flag(option) || args.text(option) !== undefined);
  if (given.length === 0) return;
  const options = given.map((option) => `--${option}`).join(', ');
  const verb = given.length === 1 ? 'was' : 'were';
  out.note(`  ${options} ${verb} not applied. Stop it first: ${typed(name, 'stop')}`);
}

/** Runs the desktop app until it ends. Resolves to its exit code, or to the reason why there is no window. */
async function runInWindow(context: Context, args: Arguments): Promise<number | { readonly why: string }> {
  const { out, env, dataDir, signal } = context;
  const { findElectron, windowObstacle } = await import('../electron-binary.ts');
  const obstacle = windowObstacle({ env, platform: process.platform, uid: process.getuid?.() });
  if (obstacle !== null) return { why: obstacle };
  const electron = await findElectron(env, (text) => out.note(text));
  if ('why' in electron) return electron;
  const { openWindow } = await import('../open-window.ts');
  const start = await openWindow({ ...electron, dataDir, flags: hostFlags(args), env, signal });
  if (start.at === 'failed') return start;
  if (start.at === 'handed over') {
    out.line('Bot Platform is open already; its window is in front now.');
    return EXIT.ok;
  }
  out.line('The window is open. Ctrl-C here, or Quit in its menu, ends it.');
  const code = await start.ended;
  return code === 0 ? EXIT.ok : EXIT.internal;
}

/** True for a start without a window: with --json, or with a flag of the user. */
const isWithout = ({ out }: Context, args: Arguments): boolean =>
  out.json || args.flag('headless') || args.flag('detach');

export const command: Command = {
  positionals: [],
  options: {
    ...HOST_OPTIONS,
    detach: { type: 'boolean', short: 'd', help: 'Run in the background; `platform stop` ends it' },
    headless: { type: 'boolean', help: 'Without a window' },
    window: { type: 'boolean', help: 'With a window, or not at all' },
  },
  description:
    'Opens the desktop app, with its host. Without a display or Electron it starts the host alone and says where things are. If a host runs on this data folder already, that one is used.',
  examples: ['platform start', 'platform start --headless', 'platform start --detach'],
  async run(context, args) {
    const { out, dataDir, env, name } = context;
    if (!isWithout(context, args)) {
      const window = await runInWindow(context, args);
      if (typeof window === 'number') return window;
      if (args.flag('window')) {
        throw new PlatformError('INVALID_REQUEST', `No window: ${window.why}.`, {
          hint: 'Leave --window out to start the host alone.',
        });
      }
      out.note(`No window: ${window.why}. The host runs without one; its dashboard opens in a browser.`);
    }
    const running = await answeringHost(context);
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
