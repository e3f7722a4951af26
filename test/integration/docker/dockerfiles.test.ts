import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { dockerAt, dockerForTests, USUAL_IMAGES } from '../../support/docker.ts';

const FOLDER = resolve(import.meta.dirname, '../../../resources/images');
const BASES: Readonly<Record<string, string>> = {
  python311: 'python:3.11-slim-bookworm',
  nodejs24: 'node:24-bookworm-slim',
  gcc13: 'debian:trixie-slim',
  java21: 'eclipse-temurin:21-jre',
  dotnet8: 'mcr.microsoft.com/dotnet/runtime:8.0',
};
const engine = await dockerForTests();

function dockerfile(runtime: string): string {
  return readFileSync(join(FOLDER, runtime, 'Dockerfile'), 'utf8');
}

describe('the Dockerfiles in resources/images', () => {
  it('are there for every image and extend the default one', () => {
    const runtimes = readdirSync(FOLDER).filter((name) => name !== 'README.md');
    expect(runtimes.sort()).toEqual(Object.keys(BASES).sort());
    for (const [runtime, base] of Object.entries(BASES)) {
      const lines = dockerfile(runtime).split('\n');
      expect(lines.filter((line) => line.startsWith('FROM '))).toEqual([`FROM ${base}`]);
      expect(readFileSync(join(FOLDER, 'README.md'), 'utf8')).toContain(`| \`${base}\` |`);
    }
  });

  const local = Object.keys(BASES).filter((runtime) => USUAL_IMAGES.includes(BASES[runtime] ?? ''));
  it.skipIf('reason' in engine).each(local)('%s builds, with no entrypoint and no rights', async (runtime) => {
    const docker = dockerAt('host' in engine ? engine.host : '');
    const tag = `images-test-${runtime}-${process.pid}`;
    const context = pack();
    // Packages come from the network, and the test images have no apt.
    context.entry({ name: 'Dockerfile' }, dockerfile(runtime).replace(/^RUN (?:.*\\\n)*.*\n/gm, ''));
    context.finalize();
    const stream = await docker.buildImage(Readable.from(context), { t: tag, version: '1' });
    await new Promise<void>((done, failed) => {
      docker.modem.followProgress(stream, (error: Error | null) => (error === null ? done() : failed(error)));
    });
    const image = docker.getImage(tag);
    try {
      const { Config } = await image.inspect();
      expect(Config.User).toBe('65534:65534');
      expect(Config.Entrypoint ?? []).toEqual([]);
    } finally {
      await image.remove({ force: true });
    }
  });
});
