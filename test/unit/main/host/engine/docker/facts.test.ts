import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import Docker from 'dockerode';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type DockerFacts,
  isDirect,
  type Machine,
  readFacts,
} from '../../../../../../src/main/host/engine/docker/facts.ts';

const ANSWERS = resolve(import.meta.dirname, '../../../../../fixtures/engines');
const ROOT: Machine = { platform: 'linux', uid: 0, gid: 0 };
const ALICE: Machine = { platform: 'linux', uid: 1000, gid: 1001 };
const MAC: Machine = { platform: 'darwin', uid: 501, gid: 20 };
const WINDOWS: Machine = { platform: 'win32', uid: undefined, gid: undefined };
const NOBODY = { uid: 65_534, gid: 65_534, handOver: false };

/** Facts of an engine that gives the answers of a file, seen from a machine. */
async function facts(file: string, here: Machine): Promise<DockerFacts | string> {
  const { version, info } = JSON.parse(readFileSync(join(ANSWERS, `${file}.json`), 'utf8'));
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url?.endsWith('/version') ? version : info));
  });
  onTestFinished(() => {
    server.close();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return readFacts(new Docker({ host: '127.0.0.1', port, protocol: 'http' }), here);
}

async function known(file: string, here: Machine): Promise<DockerFacts> {
  const found = await facts(file, here);
  if (typeof found === 'string') throw new Error(found);
  return found;
}

describe('what there is to know about an engine', () => {
  it('of Docker on Linux', async () => {
    expect(await known('docker-linux', ROOT)).toEqual({
      id: 'ABCD:EFGH',
      product: 'Docker 28.2.2',
      rootless: false,
      virtualMachine: false,
      user: { uid: 65_534, gid: 65_534, handOver: true },
      userNamespaces: false,
      seccomp: true,
      limits: { memory: true, cpu: true, processes: true },
    });
  });

  it.each([
    ['docker-linux', 'an ordinary user', ALICE, { uid: 1000, gid: 1001, handOver: false }, true],
    ['docker-userns-remap', 'root', ROOT, { uid: 65_534, gid: 65_534, handOver: true }, true],
    ['docker-rootless', 'its user', ALICE, { uid: 0, gid: 0, handOver: false }, false],
    ['podman-rootless', 'its user', ALICE, { uid: 0, gid: 0, handOver: false }, false],
    ['docker-desktop-mac', 'a Mac', MAC, NOBODY, false],
    ['docker-linux', 'a Mac, in a virtual machine', MAC, NOBODY, false],
    ['docker-desktop-wsl', 'Windows', WINDOWS, NOBODY, false],
    ['docker-desktop-wsl', 'a distribution of WSL', ALICE, { uid: 1000, gid: 1001, handOver: false }, false],
    ['docker-desktop-wsl', 'root in WSL', ROOT, { uid: 65_534, gid: 65_534, handOver: true }, false],
  ] as const)(
    '%s, for %s: who runs bots, and whether their address is reached',
    async (file, _, here, user, direct) => {
      const found = await known(file, here);
      expect(found.user).toEqual(user);
      expect(isDirect(found)).toBe(direct);
    },
  );

  it('user namespaces, seccomp, and the name of the product', async () => {
    expect(await known('docker-userns-remap', ROOT)).toMatchObject({ userNamespaces: true, seccomp: true });
    expect(await known('podman-rootless', ALICE)).toMatchObject({ product: 'Podman 5.4.2', rootless: true });
    expect(await known('docker-rootless', ALICE)).toMatchObject({ rootless: true, userNamespaces: false });
  });

  it('limits that it cannot hold', async () => {
    const { limits } = await known('docker-rootless-cgroup-v1', ALICE);
    expect(limits).toEqual({ memory: false, cpu: false, processes: false });
    expect((await known('docker-rootless', ALICE)).limits).toEqual({ memory: true, cpu: true, processes: true });
  });

  it.each([
    ['windows-containers', WINDOWS, /runs windows containers.*Switch it over/],
    ['docker-18', ROOT, /Docker 18\.09\.9 is too old \(API 1\.39\).*19\.03 or later/],
  ] as const)('%s cannot run bots, and it says why', async (file, here, why) => {
    expect(await facts(file, here)).toMatch(why);
  });
});
