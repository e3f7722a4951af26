import type { InstallSheet, NetworkPermit, Permits } from '../contract/permits.ts';

/** Who a version is, as far as an install sheet needs to know it. */
interface OfVersion {
  readonly version: string;
  /** Null for a version that declares none. */
  readonly permits: Permits | null;
  /** The interpreter that it names; null or left out where its runtime has one. */
  readonly interpreter?: string | null;
}

const destination = ({ host, port, tls }: NetworkPermit): string =>
  `network: ${host}, port ${port}, ${tls ? 'with TLS' : 'without TLS'}`;

/** Every permit as a line for people. */
export function permitLines(permits: Permits | null): string[] {
  if (permits === null) return [];
  const { network = [], local = [], secrets = [], memory_mb } = permits;
  return [
    ...network.map(destination),
    ...local.map((port) => `local: port ${port} of this machine and of its local network`),
    ...secrets.map((name) => `secret: ${name}`),
    ...(memory_mb === undefined ? [] : [`memory: ${memory_mb} MB`]),
  ];
}

/** A destination as the line of `permits.network` that allows it. */
export const permitLine = ({ host, port, tls }: NetworkPermit): string =>
  `- {host: ${JSON.stringify(host).replace(/^"([a-z0-9.-]+)"$/, '$1')}, port: ${port}, tls: ${tls}}`;

const wantsOf = ({ permits, interpreter = null }: OfVersion): string[] => [
  ...(interpreter === null ? [] : [`interpreter: ${interpreter}`]),
  ...permitLines(permits),
];

/** The install sheet of a version beside the version before it. */
export function installSheet(of: OfVersion, before: OfVersion | null): InstallSheet {
  const wants = wantsOf(of);
  const known = before === null ? [] : wantsOf(before);
  return {
    declares: of.permits !== null,
    wants,
    since: before?.version ?? null,
    added: before === null ? [] : wants.filter((line) => !known.includes(line)),
    removed: known.filter((line) => !wants.includes(line)),
  };
}

/** What an install sheet comes to, in one sentence. */
export function sheetSummary({ declares, wants }: Pick<InstallSheet, 'declares' | 'wants'>): string {
  if (!declares) return 'This version declares no permits, so you cannot tell what it connects to before it runs.';
  if (wants.length === 0) return 'It asks for nothing: no network, no secret.';
  return `This version asks for ${wants.length === 1 ? 'one permit' : `${wants.length} permits`}:`;
}
