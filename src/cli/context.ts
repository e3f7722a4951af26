import { createInterface } from 'node:readline/promises';
import { PlatformError } from '../contract/errors.ts';
import type { Discovery } from '../contract/host.ts';
import type { Client, Context, Output } from './command.ts';
import type { CommandName } from './command-name.ts';
import { Credentials, configDir } from './config.ts';
import { runningHost } from './discovery.ts';
import { Interrupted } from './interrupted.ts';
import { visible } from './text.ts';

/** An address as it is asked; throws HOST_UNREACHABLE for none, INVALID_REQUEST for what is no address. */
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

/** Where a command finds the host: --url, PLATFORM_URL, else what the host in the data folder says about itself. */
export async function hostUrl(context: Pick<Context, 'url' | 'env' | 'dataDir'>): Promise<string> {
  const { url, env, dataDir } = context;
  const text = isLocal(context) ? (await runningHost(dataDir))?.url : (url ?? env.PLATFORM_URL);
  return addressOf(text, dataDir);
}

function ownKey(url: string, env: NodeJS.ProcessEnv): string | null {
  const given = env.PLATFORM_API_KEY?.trim() ?? '';
  return given === '' ? (new Credentials(configDir(env)).get(url)?.key ?? null) : given;
}

const tokenAt = (url: string, local: Discovery | null): string | null => (local?.url === url ? local.token : null);

/** PLATFORM_API_KEY, else the key of `auth login`, else what the owner of the data folder may read. Never from argv. */
export async function credentialFor(
  url: string,
  { env, dataDir }: Pick<Context, 'env' | 'dataDir'>,
): Promise<string | null> {
  return ownKey(url, env) ?? tokenAt(url, await runningHost(dataDir));
}

/** Whether the host is the one of the data folder, whose address host.json tells; no address was given. */
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

/** Builds what a command gets. The client is made on first use, so commands without one start at once. */
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
    // Both are asked anew for every request: a host that is started again has another local token, and may have another
    // address. A key that was made for its first address stays the one of this command: it says who asks.
    const renew = async () => {
      const key = ownKey(first, env);
      const here = isLocal({ url, env });
      const local = here || key === null ? await runningHost(dataDir) : null;
      const address = here ? addressOf(local?.url, dataDir) : first;
      return { url: address, credential: key ?? tokenAt(address, local) };
    };
    return createClient({ url: first, credential: ownKey(first, env), renew, onRetry: out.note, signal });
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
