import type { Command } from '../command.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description: 'Lists the bots that come with the product, and whether this machine can run them.',
  examples: ['platform samples list'],
  async run({ client, out }) {
    const host = await client();
    const answer = await host.call('samples.list', {});
    out.data(answer);
    out.table(
      ['NAME', 'TYPE', 'RUNTIME', 'HERE', 'DESCRIPTION'],
      answer.items.map(({ name, type, runtime, problem, description }) => [
        name,
        type,
        runtime,
        problem === null ? 'runs' : problem.message,
        description,
      ]),
    );
    return 0;
  },
};
