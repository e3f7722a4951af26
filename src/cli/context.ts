import { createInterface } from 'node:readline/promises';
import { PlatformError } from '../contract/errors.ts';
import type { Discovery } from '../contract/host.ts';
import { configDir } from '../node/config-dir.ts';
import { visible } from '../shared/visible-text.ts';
import { askPin } from './ask-pin.ts';
import type { Client, Context, Output } from './command.ts';
import type { CommandName } from './copyable-command.ts';
import { runningHost } from './discovery.ts';
import { Interrupted } from './interrupted.ts';
import { Credentials } from './stored-credentials.ts';

/** Returns the address of the host; throws HOST_UNREACHABLE without one, INVALID_REQUEST for an invalid one. */
function addressOf(text: string | undefined, dataDir: string): string {
  if (text === undefined) {
    throw new PlatformError('HOST_UNREACHABLE', `No host runs on ${dataDir}`, {
      hint: 'Start it with `platform start`, or name another one with --url or --data.',
    });
  }
  const { protocol, username, password, pathname, search, hash, origin } = URL.canParse(text)
    ? new URL(text)
    : new URL('none:');
  const plain = pathname === '/' && [username, password, search, hash].every((part) => part === '');
  if ((protocol !== 'http:' && protocol !== 'https:') || !plain) {
    throw new PlatformError('INVALID_REQUEST', `"${text}" is not the address of a host`, {
      hint: 'Write it as http://127.0.0.1:4747.',
    });
  }
  return origin;
}

/**
 * Returns the address of the host: --url, PLATFORM_URL, else the address that the host of the data folder has published there.
 */
export async function hostUrl(context: Pick<Context, 'url' | 'env' | 'dataDir'>): Promise<string> {
  const { url, env, dataDir } = context;
  const text = isLocal(context) ? (await runningHost(dataDir))?.url : (url ?? env.PLATFORM_URL);
  return addressOf(text, dataDir);
}

const givenKey = (env: NodeJS.ProcessEnv): string => env.PLATFORM_API_KEY?.trim() ?? '';

/** True if the environment names the key of this command, which then acts as no other user. */
export const isGiven = (env: NodeJS.ProcessEnv): boolean => givenKey(env) !== '';

function ownKey(url: string, env: NodeJS.ProcessEnv): string | null {
  return isGiven(env) ? givenKey(env) : (new Credentials(configDir(env)).get(url)?.key ?? null);
}

/** Returns the id of the user to whom a key or token belongs. */
async function userOf(url: string, credential: string): Promise<string> {
  const { createClient } = await import('./client.ts');
  return (await createClient({ url, credential }).call('auth.status', {})).user.user_id;
}

const tokenAt = (url: string, local: Discovery | null): string | null => (local?.url === url ? local.token : null);

/**
 * Returns PLATFORM_API_KEY, else the key of `auth login`, else the token that the owner of the data folder may read. Never from
 * argv.
 */
export async function credentialFor(
  url: string,
  { env, dataDir }: Pick<Context, 'env' | 'dataDir'>,
): Promise<string | null> {
  return ownKey(url, env) ?? tokenAt(url, await runningHost(dataDir));
}

/** True if the command is for the host of the data folder, whose address host.json tells: no address was given. */
export function isLocal({ url, env }: Pick<Context, 'url' | 'env'>): boolean {
  return (url ?? env.PLATFORM_URL ?? '') === '';
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

/** Builds the context of a command. The client is made on first use, so commands without one start at once. */
export function createContext(options: {
  readonly out: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly url: string | undefined;
  readonly dataDir: string;
  readonly name: CommandName;
  readonly commands: readonly string[];
  readonly signal: AbortSignal;
}): Context {
  const { out, env, dataDir, url, name, commands, signal } = options;
  let client: Promise<Client> | null = null;
  const connect = async (): Promise<Client> => {
    const { createClient } = await import('./client.ts');
    const first = await hostUrl({ url, env, dataDir });
    // Both are read again for every request: a restarted host has another local token, and perhaps another address. A
    // key found for the first address stays this command's, because it decides who the caller is.
    const renew = async (inPerson: boolean) => {
      const key = ownKey(first, env);
      const here = isLocal({ url, env });
      const local = here || key === null || inPerson ? await runningHost(dataDir) : null;
      const address = here ? addressOf(local?.url, dataDir) : first;
      const token = tokenAt(address, local);
      if (key === null || token === null || !inPerson || isGiven(env))
        return { url: address, credential: key ?? token };
      // A key cannot do this. A person who is logged in here as the owner and may read the data folder is that owner.
      const [asKey, asOwner] = await Promise.all([key, token].map((credential) => userOf(address, credential)));
      return { url: address, credential: asKey === asOwner ? token : key };
    };
    return createClient({ url: first, credential: ownKey(first, env), renew, onRetry: out.note, askPin, signal });
  };
  return {
    out,
    env,
    cwd: process.cwd(),
    url,
    dataDir,
    name,
    commands,
    signal,
    client: () => {
      client ??= connect();
      return client;
    },
    async confirm(question) {
      if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return false;
      const prompt = createInterface({ input: process.stdin, output: process.stderr });
      // Ctrl-C and the end of input close the prompt, and its question is never answered then.
      const closed = new Promise<never>((_, reject) => prompt.once('close', () => reject(new Interrupted())));
      try {
        const answer = await Promise.race([prompt.question(visible(`${question} [y/N] `), { signal }), closed]);
        return /^y(es)?$/i.test(answer.trim());
      } finally {
        closed.catch(() => undefined);
        prompt.close();
      }
    },
    readStdin,
  };
}
