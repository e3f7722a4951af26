import { describe, expect, it } from 'vitest';
import {
  addressesToTry,
  readAddress,
  usualAddresses,
} from '../../../../../../src/main/host/engine/docker/engine-address.ts';

describe('the address of an engine', () => {
  it.each([
    ['unix:///var/run/docker.sock', 'unix:///var/run/docker.sock', { socketPath: '/var/run/docker.sock' }],
    ['/run/user/1000/docker.sock', 'unix:///run/user/1000/docker.sock', { socketPath: '/run/user/1000/docker.sock' }],
    ['npipe:////./pipe/docker_engine', 'npipe:////./pipe/docker_engine', { socketPath: '//./pipe/docker_engine' }],
    ['tcp://127.0.0.1:2375', 'tcp://127.0.0.1:2375', { host: '127.0.0.1', port: 2375, protocol: 'http' }],
    ['tcp://localhost', 'tcp://localhost', { host: 'localhost', port: 2375, protocol: 'http' }],
    ['http://127.0.0.2:9999', 'http://127.0.0.2:9999', { host: '127.0.0.2', port: 9999, protocol: 'http' }],
  ])('%s', (given, text, options) => {
    expect(readAddress(given)).toEqual({ text, options });
  });

  it('is that of loopback also in the newer form', () => {
    expect(readAddress('tcp://[::1]:2375')).toMatchObject({ options: { host: '::1', port: 2375, protocol: 'http' } });
  });

  it.each([
    ['tcp://10.0.0.7:2375', 'another machine'],
    ['tcp://127.0.0.1.example.com:2375', 'another machine'],
    ['tcp://docker.example.com', 'another machine'],
    ['ssh://me@server', 'another machine'],
    ['https://127.0.0.1:2376', 'https:// is not supported'],
    ['fd://', 'fd:// is not supported'],
    ['somewhere', 'not an address; write unix:///path/to/docker.sock'],
    ['', 'not an address'],
  ])('%j is refused, and it says why', (given, why) => {
    expect(readAddress(given)).toEqual({ text: given, why: expect.stringContaining(why) });
  });
});

describe('where an engine is looked for', () => {
  it('is the setting alone, else DOCKER_HOST alone, else the usual places', () => {
    const env = { DOCKER_HOST: 'tcp://127.0.0.1:1' };
    expect(addressesToTry('unix:///mine.sock', env)).toEqual(['unix:///mine.sock']);
    expect(addressesToTry(null, env)).toEqual(['tcp://127.0.0.1:1']);
    expect(addressesToTry(null, { DOCKER_HOST: '' })).toEqual(usualAddresses({}));
  });

  it('on Linux: Docker before rootless Docker, Docker Desktop and Podman', () => {
    expect(usualAddresses({ XDG_RUNTIME_DIR: '/run/user/7' }, 'linux', '/home/alice')).toEqual([
      'unix:///var/run/docker.sock',
      'unix:///run/user/7/docker.sock',
      'unix:///home/alice/.docker/run/docker.sock',
      'unix:///home/alice/.docker/desktop/docker.sock',
      'unix:///home/alice/.colima/default/docker.sock',
      'unix:///run/user/7/podman/podman.sock',
      'unix:///run/podman/podman.sock',
    ]);
  });

  it('on a Mac and on Windows: where Docker Desktop, Colima and Podman listen', () => {
    const mac = usualAddresses({}, 'darwin', '/Users/alice');
    expect(mac).toContain('unix:///Users/alice/.docker/run/docker.sock');
    expect(mac).toContain('unix:///Users/alice/.colima/default/docker.sock');
    expect(mac).not.toContain('unix:///run/podman/podman.sock');
    const windows = usualAddresses({}, 'win32', 'C:\\Users\\alice');
    expect(windows).toEqual(['npipe:////./pipe/docker_engine', 'npipe:////./pipe/podman-machine-default']);
  });

  it('is always an address that can be read', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      for (const text of usualAddresses({}, platform, '/home/alice')) {
        expect(readAddress(text)).toMatchObject({ text, options: { socketPath: expect.stringMatching(/^\//) } });
      }
    }
  });
});
