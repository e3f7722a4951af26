import { spawn } from 'node:child_process';
import { PlatformError } from '../../contract/errors.ts';
import { withoutApiKey } from '../../shared/without-api-key.ts';
import type { Client, Command } from '../command.ts';

/** The program that opens an address in the browser here; null without a display. */
function opener(env: NodeJS.ProcessEnv): readonly string[] | null {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['cmd', '/c', 'start', ''];
  return env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined ? null : ['xdg-open'];
}

/** The address that logs in; without that where this command line acts by a key, which may not make one. */
async function addressOf(host: Client): Promise<string> {
  try {
    return (await host.call('auth.link', {})).url;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'SESSION_REQUIRED') return host.url;
    throw error;
  }
}

export const command: Command = {
  positionals: [],
  options: {},
  description: 'Opens the dashboard of the host in the browser, logged in as you, or prints a link that does so once.',
  examples: ['platform open'],
  async run({ client, env, out }) {
    const host = await client();
    const url = await addressOf(host);
    out.data({ url });
    out.line(url);
    const [program, ...args] = opener(env) ?? [];
    if (program === undefined) {
      if (!out.json) out.note('There is no browser here: open this address yourself.');
      return 0;
    }
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, env: withoutApiKey(env) });
    // The address is printed already, so a missing opener costs nothing.
    child.once('error', (error) => out.note(`No browser could be opened: ${error.message}`));
    await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
    return 0;
  },
};
