import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { PlatformError } from '../../contract/errors.ts';
import type { Output } from '../../contract/operations.ts';
import { configDir } from '../../node/config-dir.ts';
import type { Arguments, Client, Command, Context } from '../command.ts';
import { hostUrl } from '../context.ts';
import { typed } from '../copyable-command.ts';
import { runningHost } from '../discovery.ts';
import { askPassword } from '../prompt-password.ts';
import { Credentials } from '../stored-credentials.ts';
import { printable } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';

/** Shows a code that a person approves where they are logged in, and waits for it. */
async function byDeviceCode(context: Context, host: Client, name: string): Promise<string> {
  const anywhere = { ...context.name, data: null, url: null };
  const { device_code, user_code, interval_sec, approve_url } = await host.call('auth.device_start', { client: name });
  context.out.note(`On a machine that is logged in, run: ${typed(anywhere, 'auth approve', printable(user_code))}`);
  context.out.note(`Or open in a browser that is logged in: ${printable(approve_url)}`);
  context.out.note('Waiting for approval…');
  for (;;) {
    await wait(interval_sec * 1000, undefined, { signal: context.signal });
    const { status, key } = await host.call('auth.device_poll', { device_code });
    if (status === 'approved' && key !== null) return key;
  }
}

/** Logs in with user name and password, makes a key of that user, and ends the session again. */
async function byPassword(context: Context, args: Arguments, url: string, user: string, name: string): Promise<string> {
  const { createClient } = await import('../client.ts');
  const password = await askPassword(context, args);
  const session = await createClient({ url, credential: null }).call('auth.login', { name: user, password });
  const asUser = createClient({ url, credential: session.token ?? null });
  try {
    return (await asUser.call('keys.create', { name })).key;
  } finally {
    // The session expires by itself anyway: a failure to end it must not lose the new key.
    await asUser.call('auth.logout', {}).catch((error: unknown) => {
      if (!(error instanceof PlatformError)) throw error;
      context.out.note(`The session could not be ended: ${error.message}`);
    });
  }
}

/** Revokes a key that was made here and could not be stored. */
async function takeBack({ out, name: program }: Context, asKey: Client, name: string): Promise<void> {
  try {
    const { key } = await asKey.call('auth.status', {});
    if (key !== null) await asKey.call('keys.delete', { key_id: key.key_id });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    out.note(`The new key could not be revoked: ${error.message}. Later: ${typed(program, 'keys revoke', name)}`);
  }
}

/** Answer of the host about a key. */
type Status = Output<'auth.status'> & { readonly key: object };

/** Stores a key for later commands and returns the host's view of it. Throws INVALID_REQUEST for an invalid key. */
async function keep(credentials: Credentials, asKey: Client, key: string): Promise<Status> {
  const status = await asKey.call('auth.status', {});
  if (status.key === null) {
    throw new PlatformError('INVALID_REQUEST', 'That is not an API key', {
      hint: 'Make one with `platform keys create my-program`.',
    });
  }
  credentials.set(asKey.url, { key, key_id: status.key.key_id, name: status.key.name });
  return { ...status, key: status.key };
}

async function keyFromStdin(context: Context): Promise<string> {
  const key = (await context.readStdin()).trim();
  if (key !== '') return key;
  const hint = 'Pipe it in: `platform auth login --api-key-stdin < key.txt`';
  throw new PlatformError('INVALID_REQUEST', 'No key came on stdin', { hint });
}

export const command: Command = {
  positionals: [],
  options: {
    name: { type: 'string', value: 'NAME', help: 'Name of the key (default: this machine)' },
    user: { type: 'string', value: 'NAME', help: 'Log in as this user, with a password that is asked for' },
    'password-stdin': { type: 'boolean', help: 'Read the password from stdin' },
    'api-key-stdin': { type: 'boolean', help: 'Read a key that you have from stdin' },
  },
  description:
    'Logs this command line in. For a host on this machine it makes a key at once; for another host (--url) it shows a code to approve, or takes a key from stdin. With --user it asks for a password, for either.',
  examples: [
    'platform auth login',
    'platform auth login --user alice --url https://host:4747',
    'platform auth login --url https://host:4747 --api-key-stdin < key.txt',
  ],
  async run(context, args) {
    const { out, env, dataDir } = context;
    const user = args.text('user');
    if (user === undefined && args.flag('password-stdin')) {
      throw new UsageError('--password-stdin needs --user NAME.', 'auth login');
    }
    if (user !== undefined && args.flag('api-key-stdin')) {
      throw new UsageError('Give --user or --api-key-stdin, not both.', 'auth login');
    }
    const url = await hostUrl(context);
    const name = args.text('name') ?? `CLI on ${hostname()}`.slice(0, 100);
    const { createClient } = await import('../client.ts');
    const local = await runningHost(dataDir);
    const credentials = new Credentials(configDir(env));
    // Before a key is made: a key that cannot be stored would be left behind.
    credentials.check();
    let key: string;
    if (args.flag('api-key-stdin')) key = await keyFromStdin(context);
    else if (user !== undefined) key = await byPassword(context, args, url, user, name);
    else if (local?.url === url) {
      ({ key } = await createClient({ url, credential: local.token }).call('keys.create', { name }));
    } else key = await byDeviceCode(context, createClient({ url, credential: null }), name);
    const asKey = createClient({ url, credential: key });
    let status: Status;
    try {
      status = await keep(credentials, asKey, key);
    } catch (error) {
      if (!args.flag('api-key-stdin')) await takeBack(context, asKey, name);
      throw error;
    }
    out.data({ ...status, url });
    out.line(`Logged in to ${url} as ${printable(status.user.name)}, with the key "${printable(status.key.name)}".`);
    out.line(`The key is kept in ${credentials.file}, readable by you only.`);
    if ((env.PLATFORM_API_KEY ?? '') !== '') {
      out.note('PLATFORM_API_KEY is set: it is used instead of this key until you unset it.');
    }
    return 0;
  },
};
