import type { Command } from '../command.ts';
import { readChange } from '../prompt-password.ts';

export const command: Command = {
  positionals: [],
  options: { 'password-stdin': { type: 'boolean', help: 'Read two lines from stdin: the old password, the new one' } },
  description: 'Changes your own password. Your other sessions end; keys stay.',
  examples: ['platform auth password'],
  async run(context, args) {
    const host = await context.client();
    const { old, next } = await readChange(context, args);
    const known = old === '' ? {} : { old_password: old };
    context.out.data(await host.call('auth.password', { ...known, new_password: next }));
    context.out.line('Your password is changed. Browsers that were logged in must log in again.');
    return 0;
  },
};
