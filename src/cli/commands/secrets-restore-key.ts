import type { Command } from '../command.ts';
import { readHidden } from '../prompt-password.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description:
    'Gives the recovery key to a host whose secrets are sealed, and starts the bots that waited for it. The recovery key is typed hidden, or read from stdin.',
  examples: ['platform secrets restore-key'],
  async run(context) {
    const { client, out } = context;
    const host = await client();
    const recovery_key = process.stdin.isTTY === true ? await readHidden('Recovery key: ') : await context.readStdin();
    const answer = await host.call('secrets.restore_key', { recovery_key });
    out.data(answer);
    out.line(`The key ${answer.vault.key_id} is restored; secrets open here.`);
    for (const bot of answer.started) out.line(`  Started ${printable(bot.name)}`);
    for (const { bot_id, name, reason } of answer.waiting) {
      out.line(`  ${printable(name)} (${bot_id}) waits: ${printable(reason.message)}`);
      if (reason.hint !== null) out.line(`    ${printable(reason.hint)}`);
    }
    return 0;
  },
};
