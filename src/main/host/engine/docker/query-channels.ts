import { PassThrough } from 'node:stream';
import type { Place, UnitSpec } from '../engine.ts';
import type { WarmEnds } from '../warm-channel.ts';
import { type Connected, type DockerConnection, isMissing } from './connection.ts';
import { containerName, QUERY_PORT, servesQueries } from './container-create-options.ts';
import type { DockerHandle } from './docker-unit.ts';
import { isDirect } from './facts.ts';

/** The channel to a program that waits for its question: it reports on the container's own stdout. */
export function attach(connection: DockerConnection, id: string): Promise<Omit<WarmEnds, 'exited'>> {
  return connection.call(async ({ docker }) => {
    const options = { stream: true, stdin: true, stdout: true, hijack: true };
    const both = await docker.getContainer(id).attach(options);
    const input = new PassThrough();
    const reports = new PassThrough();
    input.pipe(both);
    input.on('close', () => both.end());
    docker.modem.demuxStream(both, reports, new PassThrough().resume());
    for (const end of ['end', 'close', 'error']) both.on(end, () => reports.end());
    return { input, reports };
  });
}

/** The address of queries: the bot's container, whose network its query program shares. Null if none serves them. */
export async function queryAddress(
  connection: DockerConnection,
  hostId: string,
  spec: UnitSpec,
  handle: DockerHandle,
): Promise<Place | null> {
  if (!servesQueries(spec)) return null;
  const holder = spec.role === 'bot' ? handle.container : containerName(hostId, spec.runId, 'bot');
  try {
    return await connection.call((connected) => addressOf(connected, holder));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function addressOf({ docker, facts }: Connected, id: string): Promise<Place | null> {
  const { NetworkSettings } = await docker.getContainer(id).inspect();
  if (!isDirect(facts)) {
    const port = Number(NetworkSettings.Ports?.[`${QUERY_PORT}/tcp`]?.[0]?.HostPort);
    return Number.isInteger(port) && port > 0 ? { host: '127.0.0.1', port } : null;
  }
  const host = Object.values(NetworkSettings.Networks ?? {})
    .map((one) => one.IPAddress)
    .find((one) => one !== undefined && one !== '');
  return host === undefined ? null : { host, port: QUERY_PORT };
}
