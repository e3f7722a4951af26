import type { Command } from '../command.ts';

export const command: Command = {
  positionals: ['<code>'],
  options: {},
  description: 'Lets another machine in that shows this code. It gets a key of yours, listed under `keys list`.',
  examples: ['platform auth approve ABCD-EFGH'],
  async run({ client, out }, { positionals: [code = ''] }) {
    const host = await client();
    out.data(await host.call('auth.device_approve', { user_code: code }));
    out.line('Approved. The other machine is logged in now.');
    return 0;
  },
};
