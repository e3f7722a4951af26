import { invalid } from '../../contract/errors.ts';
import { isAtTerminal } from '../ask-pin.ts';
import type { Command } from '../command.ts';
import { readTyped } from '../read-typed.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['[user]'],
  options: {},
  description:
    'Removes a forgotten PIN, your own or that of another user. Only an owner of the host can do this, and types the name of the user to confirm. Every working alarm channel of that user reports it, and for an hour the host refuses what needs the PIN.',
  examples: ['platform pin reset', 'platform pin reset alice'],
  async run({ client, out, signal }, { positionals: [user] }) {
    const host = await client();
    const name = user ?? (await host.call('auth.status', {})).user.name;
    const wrong = (message: string, hint: string) => invalid('INVALID_REQUEST', [{ path: 'user', message, hint }]);
    if (!isAtTerminal()) throw wrong('must be typed in a terminal', 'Run the command in a terminal.');
    const typed = await readTyped(
      `This removes the PIN of ${printable(name)} and tells their alarm channels. Type the name to confirm: `,
      signal,
    );
    if (typed.trim() !== name) throw wrong('is not the name that was typed', 'Nothing was changed.');
    out.data(await host.call('pin.reset', { name }));
    out.line(
      `${printable(name)} has no PIN now. \`platform pin set\` chooses a new one. If there was one, what needs it is refused for an hour.`,
    );
    return 0;
  },
};
