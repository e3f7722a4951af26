import type { Bot } from '../../contract/bot.ts';
import { PlatformError } from '../../contract/errors.ts';
import type { Input } from '../../contract/operations.ts';
import type { Client, Command, Context } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { withHint } from '../host-answer.ts';
import { readJsonObject } from '../json-file.ts';
import { botLines } from '../show-bot.ts';
import { sheetLines } from '../show-install-sheet.ts';

/** Deploys; the error for a taken name contains the command that changes its bot. */
async function deploy(context: Context, host: Client, request: Record<string, unknown>, file: string): Promise<Bot> {
  try {
    // The host checks the request; a file is hostile input on either side.
    return await host.call('bots.deploy', request as Input<'bots.deploy'>);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'NAME_TAKEN') throw error;
    const update = typed(context.name, 'bot update', String(request.name), file);
    const hint = `Change that bot with: ${update}\nA second bot needs another name.`;
    throw withHint(error, hint);
  }
}

export const command: Command = {
  positionals: ['<instance_config_file>'],
  options: {
    'idempotency-key': {
      type: 'string',
      value: 'KEY',
      help: 'Repeat this command safely: the same file with the same key makes one bot',
    },
  },
  description:
    'Creates a bot from a JSON file with name, type, version, config and, for scheduled bots, schedule and timezone. It starts at once. For a folder its instance.json is taken.',
  examples: [
    'platform bot deploy instance.json',
    'platform bot deploy instance.json --idempotency-key 2026-11-29-grid',
  ],
  async run(context, args) {
    const { out, name } = context;
    const file = args.positionals[0] ?? '';
    const key = args.text('idempotency-key');
    const request = {
      ...(await readJsonObject(context, file)),
      ...(key === undefined ? {} : { idempotency_key: key }),
    };
    const host = await context.client();
    const bot = await deploy(context, host, request, file);
    out.data(bot);
    for (const line of botLines(bot, Date.now(), out.colours, name)) out.line(line);
    if (!out.json) {
      const about = { name: bot.type.slice(bot.type.indexOf('/') + 1), version: bot.version };
      const { install_sheet } = await host.call('custom_bots.get', about);
      for (const line of sheetLines(install_sheet)) out.line(line);
    }
    out.line();
    out.line(`Follow it with: ${typed(name, 'bot logs', bot.name, '-w')}`);
    return 0;
  },
};
