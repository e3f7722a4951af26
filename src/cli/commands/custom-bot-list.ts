import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description: 'Lists the custom bots you have published.',
  examples: ['platform custom-bot list'],
  async run({ client, name, out }) {
    const host = await client();
    const answer = await host.call('custom_bots.list', {});
    out.data(answer);
    if (answer.items.length === 0)
      out.line(`Nothing published yet. In the folder of a project: ${typed(name, 'custom-bot deploy')}`);
    else {
      out.table(
        ['NAME', 'TYPE', 'RUNTIME', 'LATEST', 'VERSIONS', 'BOTS', 'DESCRIPTION'],
        answer.items.map((one) => [
          one.name,
          one.type,
          one.runtime,
          one.latest_version,
          String(one.versions.length),
          String(one.bots),
          one.description,
        ]),
      );
    }
    return 0;
  },
};
