import type { Input } from '../../contract/operations.ts';
import type { Command } from '../command.ts';
import { readJsonObject } from '../json-file.ts';
import { botLines } from '../show-bot.ts';

export const command: Command = {
  positionals: ['<instance_config_file>'],
  options: {},
  description:
    'Creates a bot from a JSON file with name, type, version, config and, for scheduled bots, schedule. It starts at once.',
  examples: ['platform bot deploy instance.json', 'platform bot deploy - < instance.json'],
  async run(context, { positionals: [file = ''] }) {
    const { out } = context;
    const request = await readJsonObject(context, file);
    const host = await context.client();
    // The host checks the request; a file is hostile input on either side.
    const bot = await host.call('bots.deploy', request as Input<'bots.deploy'>);
    out.data(bot);
    for (const line of botLines(bot, Date.now(), out.colours)) out.line(line);
    out.line();
    out.line(`Follow it with: platform bot logs ${bot.bot_id} -w`);
    return 0;
  },
};
