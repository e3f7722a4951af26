import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<session>'],
  options: {},
  description: 'Ends a log-in by its id, at once. An owner may end those of other users too.',
  examples: ['platform sessions end k3v9q2m4x7ab'],
  async run({ client, out }, { positionals: [id = ''] }) {
    const host = await client();
    out.data(await host.call('sessions.end', { session_id: id }));
    out.line(`Ended the log-in ${printable(id)}.`);
    return 0;
  },
};
