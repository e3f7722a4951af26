import type { Command } from '../command.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description: 'Ends all your log-ins except the one that asks, at once. Keys stay: `keys revoke` takes them back.',
  examples: ['platform sessions end-others'],
  async run({ client, out }) {
    const host = await client();
    const answer = await host.call('sessions.end_others', {});
    out.data(answer);
    out.line(answer.ended === 1 ? 'Ended 1 log-in.' : `Ended ${answer.ended} log-ins.`);
    return 0;
  },
};
