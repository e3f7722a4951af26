import { randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { describe, expect, it } from 'vitest';
import { dockerAt, dockerForTests, Registry } from '../../support/docker.ts';

const engine = await dockerForTests();
const MIB = 2 ** 20;

interface Progress {
  readonly status: string;
  readonly id?: string;
  readonly progressDetail?: { readonly current?: number; readonly total?: number };
}

/** Pulls an image; the lines that the engine writes meanwhile appear in `seen`. */
async function pull(docker: Docker, image: string, seen: Progress[] = []): Promise<Progress[]> {
  const stream = await docker.pull(`${image}:latest`);
  await new Promise<void>((done, failed) => {
    docker.modem.followProgress(
      stream,
      (error: Error | null) => (error === null ? done() : failed(error)),
      (line: Progress) => seen.push(line),
    );
  });
  return seen;
}

describe.skipIf('reason' in engine)('the registry of the tests', () => {
  const docker = dockerAt('host' in engine ? engine.host : 'unix:///none');

  it('is pulled from, layer by layer', async () => {
    await using registry = await Registry.start(
      'tests/three-layers',
      [{ a: 'the lowest' }, { b: randomBytes(4 * MIB) }, { c: 'the highest' }],
      { Cmd: ['/a'], User: '65534' },
    );
    const large = registry.hold(1);
    const seen: Progress[] = [];
    const pulled = pull(docker, registry.reference, seen);
    await large.reached;
    expect(await Promise.race([pulled, Promise.resolve('not yet')])).toBe('not yet');
    large.release();
    await pulled;
    try {
      const layers = seen.filter(({ status }) => status === 'Pull complete');
      expect(new Set(layers.map(({ id }) => id)).size).toBe(3);
      const downloads = seen.filter(({ status }) => status === 'Downloading');
      expect(Math.max(...downloads.map(({ progressDetail }) => progressDetail?.total ?? 0))).toBeGreaterThan(4 * MIB);
      const image = await docker.getImage(registry.reference).inspect();
      expect(image.Config).toMatchObject({ Cmd: ['/a'], User: '65534' });
      expect(image.RootFS.Layers).toHaveLength(3);
    } finally {
      await docker.getImage(registry.reference).remove();
    }
  });

  it.each([
    ['manifest', 404, /not found|manifest unknown/i],
    ['manifest', 500, /500|unexpected|test registry/i],
    ['ping', 401, /unauthorized|basic auth/i],
  ] as const)('answers a %s with %i', async (what, status, said) => {
    await using registry = await Registry.start('tests/none', [{ a: 'a' }]);
    registry.fail(what, status);
    await expect(pull(docker, registry.reference)).rejects.toThrow(said);
  });
});
