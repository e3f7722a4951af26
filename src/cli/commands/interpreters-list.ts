import type { Command } from '../command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description:
    'Lists the interpreters that packages may name (runtime command), with the file of this machine and the image in which containers run each. There are none at first.',
  examples: ['platform interpreters list', 'platform interpreters list --json'],
  async run({ client, out }) {
    const host = await client();
    const answer = await host.call('interpreters.list', {});
    out.data(answer);
    if (answer.items.length === 0) {
      out.line('Packages may name no interpreter here. `platform interpreters allow NAME` lets bots run with one.');
      return 0;
    }
    out.table(
      ['NAME', 'ON THIS MACHINE', 'IN CONTAINERS'],
      answer.items.map(({ name, path, on_machine, image }) => [
        name,
        path === null ? (on_machine ? 'yes' : 'no') : printable(path),
        image ?? 'image of the runtime',
      ]),
    );
    return 0;
  },
};
