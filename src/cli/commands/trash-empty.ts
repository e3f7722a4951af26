import { PlatformError } from '../../contract/errors.ts';
import type { TrashedBot } from '../../contract/trash.ts';
import { counted } from '../../shared/counted.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../terminal-text.ts';
import { trashedBot } from '../trashed-bot.ts';

export const command: Command = {
  positionals: ['[bot...]'],
  options: { yes: { type: 'boolean', short: 'y', help: 'Do not ask' } },
  description:
    'Removes deleted bots for good, with their logs, state and files: those named, or all in the trash. This cannot be undone. No API key may do it.',
  examples: ['platform trash empty', 'platform trash empty "sma live" -y'],
  async run({ client, out, confirm }, args) {
    const host = await client();
    const named: TrashedBot[] = [];
    for (const text of args.positionals) named.push(await trashedBot(host, text));
    const chosen = named.length > 0 ? named : (await host.call('trash.list', {})).items;
    if (chosen.length === 0) {
      out.data({ removed: [], failed: [] });
      out.line('The trash is empty.');
      return EXIT.ok;
    }
    const names = chosen.map((bot) => `"${printable(bot.name)}"`).join(', ');
    if (!args.flag('yes') && !(await confirm(`Remove ${names} for good, with logs, state and files?`))) {
      throw new PlatformError('INVALID_REQUEST', 'Nothing was removed', {
        hint: 'Confirm with y, or pass -y in a script.',
      });
    }
    // By their ids: what is deleted while the question stands is not removed with them.
    const answer = await host.call('trash.empty', { bot_ids: chosen.map(({ bot_id }) => bot_id) });
    out.data(answer);
    out.line(`Removed for good: ${counted(answer.removed.length, 'bot')}.`);
    for (const { bot_id, problem } of answer.failed) out.note(`${bot_id} is not removed yet: ${problem}`);
    return answer.failed.length === 0 ? EXIT.ok : EXIT.internal;
  },
};
