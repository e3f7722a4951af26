import { invalid } from '../../contract/errors.ts';
import { isAtTerminal, readNewPin } from '../ask-pin.ts';
import type { Command } from '../command.ts';

const problem = (message: string, hint: string) => invalid('INVALID_REQUEST', [{ path: 'pin', message, hint }]);

export const command: Command = {
  positionals: [],
  options: {},
  description:
    'Chooses your PIN, or another one. It is asked for before a guard is loosened, and before accounts, keys and alarm channels change. It is typed in a terminal, never passed by a program.',
  examples: ['platform pin set'],
  async run({ client, out }) {
    if (!isAtTerminal()) throw problem('cannot be asked for without a terminal', 'Run the command in a terminal.');
    const host = await client();
    const pin = await readNewPin();
    if (pin === null) throw problem('the two differ', 'Try again.');
    out.data(await host.call('pin.set', { pin }));
    out.line('Your PIN is chosen. `platform pin reset` removes a forgotten one.');
    return 0;
  },
};
