import type { Command } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { approvalLines } from '../show-approval.ts';
import { statusText } from '../show-bot.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<bot>'],
  options: {},
  description:
    'Makes the change of an armed bot that waits for you. It shows everything that would be different, and asks for a yes and your PIN. The arming follows, and ends when it would have. No API key and no assistant can approve.',
  examples: ['platform approvals approve "sma live"'],
  async run({ client, confirm, out }, { positionals: [bot = ''] }) {
    const host = await client();
    const bot_id = await host.botId(bot);
    const one = await host.call('approvals.get', { bot_id });
    for (const line of approvalLines(one, { now: Date.now(), zone: 'local' })) out.note(line);
    if (one.problem !== null) {
      out.data(one);
      return EXIT.conflict;
    }
    if (!(await confirm('This bot may trade real money. Make this change?'))) {
      out.note('Nothing was changed.');
      return EXIT.usage;
    }
    // Of the change that was shown: one that took its place meanwhile is refused.
    const changed = await host.call('approvals.approve', { bot_id, approval_id: one.id });
    out.data(changed);
    out.line(`Changed ${printable(changed.name)}: ${statusText(changed, out.colours)}`);
    return 0;
  },
};
