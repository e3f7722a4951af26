import { PlatformError } from '../../contract/errors.ts';
import { configDir } from '../../node/config-dir.ts';
import type { Command } from '../command.ts';
import { hostUrl } from '../context.ts';
import { Credentials } from '../stored-credentials.ts';

export const command: Command = {
  positionals: [],
  options: {},
  description: 'Revokes the key that `auth login` made and forgets it.',
  examples: ['platform auth logout'],
  async run(context) {
    const { out, env } = context;
    const url = await hostUrl(context);
    const credentials = new Credentials(configDir(env));
    const stored = credentials.get(url);
    if (stored === null) {
      out.data({ ok: true, revoked: false });
      out.line(`Not logged in to ${url}.`);
      return 0;
    }
    const { createClient } = await import('../client.ts');
    let revoked = true;
    try {
      await createClient({ url, credential: stored.key }).call('keys.delete', { key_id: stored.key_id });
    } catch (error) {
      // An invalid key, or a host that is gone, must not keep the user logged in here.
      if (!(error instanceof PlatformError)) throw error;
      revoked = false;
      out.note(`The key could not be revoked: ${error.message}`);
    }
    credentials.remove(url);
    out.data({ ok: true, revoked });
    out.line(`Logged out of ${url}.`);
    return 0;
  },
};
