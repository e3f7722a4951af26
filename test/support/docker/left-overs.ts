import type Docker from 'dockerode';
import { dockerAt, IMAGES } from '../../../scripts/test-images.ts';

/** The label that containers and networks of a host carry. */
const OWN = JSON.stringify({ label: ['bot-platform.host'] });

/** An image, network, volume or container that tests have left, as a sentence part that ends with its id. */
export async function leftOvers(host: string | Docker): Promise<string[]> {
  const docker = typeof host === 'string' ? dockerAt(host) : host;
  const [containers, networks, { Volumes }, images] = await Promise.all([
    docker.listContainers({ all: true, filters: OWN }),
    docker.listNetworks({ filters: OWN }),
    docker.listVolumes(),
    docker.listImages(),
  ]);
  const isKnown = (names: readonly string[] | null | undefined) => names?.some((name) => name in IMAGES) ?? false;
  return [
    ...containers.map((one) => `container ${one.Names[0] ?? ''} (${one.State}, ${one.Image}) ${one.Id}`),
    ...networks.map((one) => `network ${one.Name} ${one.Id}`),
    ...(Volumes ?? []).map((one) => `volume ${one.Name}`),
    ...images
      .filter((one) => !isKnown(one.RepoTags))
      .map((one) => `image ${one.RepoTags?.join(' ') ?? 'without a name'} ${one.Id}`),
  ];
}
