import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description:
    'Lists your secrets: their class, which bots use them, and when they were rotated. Values are never shown.',
  examples: ['platform secrets list', 'platform secrets list --json'],
  async run({ client, out, name }) {
    const host = await client();
    const answer = await host.call('secrets.list', {});
    out.data(answer);
    const { items, vault } = answer;
    if (!vault.open) {
      out.note(
        `Secrets are sealed: the key ${vault.key_id} is not on this machine. ${typed(name, 'secrets restore-key')}`,
      );
    } else if (vault.recovery_key_shown_at === null && items.length > 0) {
      out.note(`Write the recovery key down, it is shown once: ${typed(name, 'secrets recovery-key')}`);
    }
    if (items.length === 0) {
      out.line(`No secrets yet. Store one with: ${typed(name, 'secrets set', 'NAME')}`);
      return 0;
    }
    out.table(
      ['NAME', 'CLASS', 'USED BY', 'STORED', 'ROTATED', 'OPENS'],
      items.map((one) => [
        one.name,
        one.class,
        one.used_by.map((bot) => printable(bot.name)).join(', ') || 'no bot',
        one.created_at,
        one.rotated_at ?? 'never',
        one.opens ? 'yes' : 'no: sealed',
      ]),
      ['STORED'],
    );
    return 0;
  },
};
