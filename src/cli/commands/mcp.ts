import { PlatformError } from '../../contract/errors.ts';
import type { Command, Context } from '../command.ts';
import { credentialFor, hostUrl, isLocal } from '../context.ts';
import { typed } from '../copyable-command.ts';
import { readDiscovery } from '../discovery.ts';
import { type BridgeTarget, runBridge } from '../mcp-bridge.ts';

/** Address of the host; null while none runs. Throws for an invalid --url. */
async function addressNow(context: Context): Promise<string | null> {
  try {
    return await hostUrl(context);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'HOST_UNREACHABLE') return null;
    throw error;
  }
}

async function targetNow(context: Context): Promise<BridgeTarget | null> {
  const url = await addressNow(context);
  if (url === null) return null;
  const credential = await credentialFor(url, context);
  if (credential !== null && !/^[\x21-\x7e]+$/.test(credential)) {
    throw new PlatformError('INVALID_API_KEY', 'The API key has characters that no key has', {
      hint: 'Copy it again, without spaces and line ends.',
    });
  }
  const local = credential !== null && readDiscovery(context.dataDir)?.token === credential;
  return { url, credential, local };
}

export const command: Command = {
  positionals: [],
  options: { extended: { type: 'boolean', help: 'Further tools: write, publish and drive custom bots' } },
  description:
    'Connects an AI assistant that starts a command to the host: MCP on stdin and stdout. Assistants run it; `platform connect` sets them up. The key is PLATFORM_API_KEY, else the one of `platform auth login`, else your own on this machine.',
  examples: ['platform mcp', 'platform mcp --extended'],
  async run(context, args) {
    const { name, out, signal } = context;
    const path = args.flag('extended') ? '/mcp/extended' : '/mcp';
    const address = await addressNow(context);
    const start = `Start it with \`${typed(name, 'start')}\`, then try again.`;
    if (process.stdin.isTTY)
      out.note(`This speaks MCP on stdin, for assistants. Set one up: ${typed(name, 'connect')}`);
    else out.note(address === null ? `No host runs yet. ${start}` : `Connected to ${address}${path}`);
    await runBridge({
      input: process.stdin,
      output: process.stdout,
      path,
      target: () => targetNow(context),
      notRunning: (url) =>
        !isLocal(context) && url !== null
          ? `No bot host answers at ${url}. Start it there, then try again.`
          : `The bot host is not running. ${start}`,
      userAgent: 'platform mcp',
      signal,
    });
    return 0;
  },
};
