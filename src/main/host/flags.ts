import { parseArgs } from 'node:util';
import { invalid } from '../../contract/errors.ts';
import { DEFAULT_PORT } from '../../contract/limits.ts';
import { defaultDataDir } from '../base/data-folder.ts';

/** What a host is started with: flags over environment over defaults (wire.md section 1). */
export interface HostFlags {
  readonly dataDir: string;
  readonly port: number;
  /** A port that was asked for is an error when it is taken; the default one gives way to the next free. */
  readonly portFixed: boolean;
  /** Address to listen on; anything but loopback needs TLS or `insecure`. */
  readonly listen: string;
  readonly insecure: boolean;
  readonly tlsKey: string | null;
  readonly tlsCert: string | null;
  /** Programs go on when the host is stopped; the next host adopts them. */
  readonly leaveBots: boolean;
}

function readPort(text: string | undefined, from: string): number | null {
  if (text === undefined || text === '') return null;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw invalid('INVALID_REQUEST', [
    { path: from, message: `"${text}" is not a port`, hint: 'Give a number from 0 to 65535; 0 takes any free port.' },
  ]);
}

/** Reads the flags of `platform serve`; throws INVALID_REQUEST with what is wrong. */
export function parseHostFlags(args: readonly string[], env: NodeJS.ProcessEnv): HostFlags {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      listen: { type: 'string' },
      insecure: { type: 'boolean' },
      'tls-key': { type: 'string' },
      'tls-cert': { type: 'string' },
      'leave-bots': { type: 'boolean' },
    },
  });
  const port = readPort(values.port, '--port') ?? readPort(env.PLATFORM_PORT, 'PLATFORM_PORT');
  return {
    dataDir: values.data ?? env.PLATFORM_DATA_DIR ?? defaultDataDir(),
    port: port ?? DEFAULT_PORT,
    portFixed: port !== null && port !== 0,
    listen: values.listen ?? '127.0.0.1',
    insecure: values.insecure ?? false,
    tlsKey: values['tls-key'] ?? null,
    tlsCert: values['tls-cert'] ?? null,
    leaveBots: values['leave-bots'] ?? false,
  };
}
