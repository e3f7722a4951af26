import { setTimeout as wait } from 'node:timers/promises';
import { PlatformError } from '../../contract/errors.ts';
import type { Command } from '../command.ts';

const LONGEST_MS = 60_000;
const STEP_MS = 50;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

export const command: Command = {
  positionals: [],
  options: { 'leave-bots': { type: 'boolean', help: 'Bots go on; the next host takes them over' } },
  description: 'Stops the host and its bots, and waits until they have ended.',
  examples: ['platform stop', 'platform stop --leave-bots'],
  async run({ client, out, signal }, args) {
    const host = await client();
    const { pid } = await host.call('host.get', {});
    await host.call('host.stop', { leave_bots: args.flag('leave-bots') });
    const local = /^https?:\/\/(127\.|localhost|\[::1\])/.test(host.url);
    const end = Date.now() + LONGEST_MS;
    while (local && isRunning(pid)) {
      if (Date.now() > end) {
        throw new PlatformError('HOST_UNREACHABLE', `The host (process ${pid}) has not ended yet`, {
          hint: 'Look into host.log in the data folder.',
        });
      }
      await wait(STEP_MS, undefined, { signal });
    }
    out.data({ ok: true });
    out.line('The host has stopped.');
    return 0;
  },
};
