import { spawn } from 'node:child_process';
import type { Command } from '../command.ts';

/** The program that opens an address in the browser here; null without a display. */
function opener(env: NodeJS.ProcessEnv): readonly string[] | null {
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['cmd', '/c', 'start', ''];
  return env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined ? null : ['xdg-open'];
}

export const command: Command = {
  positionals: [],
  options: {},
  description: 'Opens the page of the host in the browser, or prints its address where there is none.',
  examples: ['platform open'],
  async run({ client, env, out }) {
    const { url } = await client();
    out.data({ url });
    out.line(url);
    const [program, ...args] = opener(env) ?? [];
    if (program === undefined) {
      if (!out.json) out.note('There is no browser here: open this address yourself.');
      return 0;
    }
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    // The address is printed already, so a missing opener costs nothing.
    child.once('error', (error) => out.note(`No browser could be opened: ${error.message}`));
    await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
    return 0;
  },
};
