import { formatDuration } from '../../shared/format-quantity.ts';
import type { Command } from '../command.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description: 'Shows whether you have a PIN, and whether it can be entered now.',
  examples: ['platform pin'],
  async run({ client, out }) {
    const info = await (await client()).call('pin.get', {});
    out.data(info);
    out.line(info.set_at === null ? 'You have no PIN. `platform pin set` chooses one.' : `Chosen ${info.set_at}.`);
    if (info.wrong > 0) out.line(`Wrong PINs since the last right one: ${info.wrong}.`);
    if (info.wait_sec > 0) out.line(`It can be entered again in ${formatDuration(info.wait_sec * 1000)}.`);
    return 0;
  },
};
