import { describe, expect, it } from 'vitest';
import { dockerAt, GCC13_IMAGE, USUAL_IMAGES } from '../../../scripts/test-images.ts';
import { dockerForTests } from '../../support/docker.ts';

const engine = await dockerForTests();
const docker = 'host' in engine ? dockerAt(engine.host) : null;

/** What a command prints in a fresh container. */
async function printed(image: string, command: string[], options: object = {}): Promise<string> {
  if (docker === null) throw new Error('no engine');
  const container = await docker.createContainer({ Image: image, Cmd: command, User: '65534:65534', ...options });
  try {
    await container.start();
    const { StatusCode } = await container.wait();
    const logs = await container.logs({ stdout: true, stderr: true });
    // Eight bytes before every piece tell its stream and length.
    return `${StatusCode} ${logs.toString('utf8', 8).trim()}`;
  } finally {
    await container.remove({ force: true });
  }
}

describe.skipIf(docker === null)('the Docker engine of the tests', () => {
  it('has images that can do what the real ones do', async () => {
    const names = (await docker?.listImages())?.flatMap((image) => image.RepoTags ?? []);
    expect(names).toEqual(expect.arrayContaining(USUAL_IMAGES));
    const certificates = 'len(ssl.create_default_context().get_ca_certs()) > 50';
    const python = `import json, sqlite3, ssl, sys, os; print(sys.version_info[:2], os.getuid(), ${certificates})`;
    expect(await printed('python:3.11-slim-bookworm', ['python3', '-c', python])).toBe('0 (3, 11) 65534 True');
    // The Node of the product stands in for that of the image, which may be older.
    expect(await printed('node:24-bookworm-slim', ['node', '-p', 'parseInt(process.versions.node) >= 24'])).toBe(
      '0 true',
    );
    expect(await printed(GCC13_IMAGE, ['/bin/sh', '-c', 'whoami && test -s /etc/ssl/certs/ca-certificates.crt'])).toBe(
      '0 nobody',
    );
  });

  it('lets a test reach a container by its address', async () => {
    const serve = "require('http').createServer((q, s) => s.end('here')).listen(8000)";
    const container = await docker?.createContainer({
      Image: 'node:24-bookworm-slim',
      Cmd: ['node', '-e', `${serve}; console.log('up')`],
    });
    try {
      const stream = await container?.attach({ stream: true, stdout: true });
      const up = new Promise((done) => stream?.once('data', done));
      await container?.start();
      await up;
      const { NetworkSettings } = (await container?.inspect()) ?? {};
      const answer = await fetch(`http://${NetworkSettings?.Networks.bridge?.IPAddress}:8000/`);
      expect(await answer.text()).toBe('here');
    } finally {
      await container?.remove({ force: true });
    }
  });
});
