import { PlatformError } from '../../contract/errors.ts';
import { askPin } from '../ask-pin.ts';
import type { Command, Context } from '../command.ts';
import { readChange } from '../prompt-password.ts';

/** Changes it as the local owner, else as the key's user, who proves presence by the old password. */
async function change(context: Context, old: string, next: string): Promise<object> {
  const host = await context.client();
  const known = old === '' ? {} : { old_password: old };
  try {
    return await host.call('auth.password', { ...known, new_password: next });
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'SESSION_REQUIRED' || old === '') throw error;
  }
  const { user } = await host.call('auth.status', {});
  const { createClient } = await import('../client.ts');
  const session = await createClient({ url: host.url, credential: null }).call('auth.login', {
    name: user.name,
    password: old,
  });
  const inPerson = createClient({ url: host.url, credential: session.token ?? null, askPin });
  const answer = await inPerson.call('auth.password', { ...known, new_password: next });
  await inPerson.call('auth.logout', {});
  return answer;
}

export const command: Command = {
  positionals: [],
  options: { 'password-stdin': { type: 'boolean', help: 'Read two lines from stdin: the old password, the new one' } },
  description: 'Changes your own password. Your other sessions end; keys stay.',
  examples: ['platform auth password'],
  async run(context, args) {
    const { old, next } = await readChange(context, args);
    context.out.data(await change(context, old, next));
    context.out.line('Your password is changed. Browsers that were logged in must log in again.');
    return 0;
  },
};
