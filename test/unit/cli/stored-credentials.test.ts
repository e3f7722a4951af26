import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { credentialFor, hostUrl } from '../../../src/cli/context.ts';
import { readDiscovery } from '../../../src/cli/discovery.ts';
import { Credentials } from '../../../src/cli/stored-credentials.ts';
import { discoveryOf, standForHost } from '../../support/host-files.ts';
import { tempDir } from '../../support/temp.ts';

const URL_A = 'http://127.0.0.1:4747';
const KEY = { key: 'plat_a', key_id: 'k1', name: 'CLI on here' };

function dataDirWith(host: unknown): string {
  const dir = tempDir();
  writeFileSync(join(dir, 'host.json'), typeof host === 'string' ? host : JSON.stringify(host));
  return dir;
}

/** The folder of a host that runs. */
function dataDirOfHost(): string {
  const dir = tempDir();
  standForHost(dir, { url: URL_A });
  return dir;
}

describe('Credentials', () => {
  it('tells before whether a key can be kept, and changes nothing', () => {
    const dir = tempDir();
    const credentials = new Credentials(dir);
    credentials.check();
    expect(readdirSync(dir)).toEqual([]);
    writeFileSync(credentials.file, 'no JSON');
    expect(() => credentials.check()).toThrow(/is damaged/);
    expect(() => new Credentials(join(credentials.file, 'in')).check()).toThrow(/ENOTDIR/);
  });

  it('keeps keys by host, in a file for this user alone, with nothing left over', () => {
    const dir = join(tempDir(), 'made', 'here');
    const credentials = new Credentials(dir);
    expect(credentials.get(URL_A)).toBeNull();
    credentials.set(URL_A, KEY);
    credentials.set('https://other:1', { ...KEY, key: 'plat_b' });
    expect(new Credentials(dir).get(URL_A)).toEqual(KEY);
    expect(JSON.parse(readFileSync(credentials.file, 'utf8'))).toEqual({
      [URL_A]: KEY,
      'https://other:1': { ...KEY, key: 'plat_b' },
    });
    expect(readdirSync(dir)).toEqual(['credentials.json']);
    expect(credentials.remove(URL_A)).toBe(true);
    expect(credentials.remove(URL_A)).toBe(false);
    expect(credentials.get('https://other:1')?.key).toBe('plat_b');
  });

  it.skipIf(process.platform === 'win32')('is closed to others, whatever the umask and the file before', () => {
    const dir = join(tempDir(), 'config');
    const before = process.umask(0);
    try {
      const credentials = new Credentials(dir);
      credentials.set(URL_A, KEY);
      chmodSync(credentials.file, 0o666);
      credentials.set(URL_A, KEY);
      expect(statSync(credentials.file).mode & 0o777).toBe(0o600);
      expect(statSync(dir).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(before);
    }
  });

  it('says which file is damaged, and leaves it alone', () => {
    const dir = tempDir();
    const credentials = new Credentials(dir);
    writeFileSync(credentials.file, '{"http');
    expect(() => credentials.get(URL_A)).toThrow(credentials.file);
    expect(() => credentials.set(URL_A, KEY)).toThrow('damaged');
    expect(readFileSync(credentials.file, 'utf8')).toBe('{"http');
  });

  it('does not take an inherited name or a half entry for a key', () => {
    const dir = tempDir();
    const credentials = new Credentials(dir);
    writeFileSync(credentials.file, JSON.stringify({ [URL_A]: { key: 'plat_a' } }));
    expect(credentials.get(URL_A)).toBeNull();
    expect(credentials.get('constructor')).toBeNull();
  });
});

describe('readDiscovery', () => {
  it('reads what a host wrote', () => {
    expect(readDiscovery(dataDirOfHost())).toEqual(discoveryOf({ url: URL_A }));
  });

  it('is null without a host or for another kind of file', () => {
    expect(readDiscovery(tempDir())).toBeNull();
    expect(readDiscovery(join(tempDir(), 'no', 'folder'))).toBeNull();
    expect(readDiscovery(dataDirWith({ url: URL_A }))).toBeNull();
    expect(readDiscovery(dataDirWith([]))).toBeNull();
  });

  it('says what is wrong with a damaged file', () => {
    expect(() => readDiscovery(dataDirWith('{"url":'))).toThrow(/host\.json is damaged/);
  });
});

describe('hostUrl', () => {
  const of = (url: string | undefined, env: NodeJS.ProcessEnv = {}, dataDir = tempDir()) =>
    hostUrl({ url, env, dataDir });

  it('takes --url, then PLATFORM_URL, then the host of the data folder', async () => {
    const dataDir = dataDirOfHost();
    expect(await of('http://a:1', { PLATFORM_URL: 'http://b:2' }, dataDir)).toBe('http://a:1');
    expect(await of(undefined, { PLATFORM_URL: 'http://b:2' }, dataDir)).toBe('http://b:2');
    expect(await of(undefined, { PLATFORM_URL: '' }, dataDir)).toBe(URL_A);
    await expect(of(undefined)).rejects.toThrow(expect.objectContaining({ code: 'HOST_UNREACHABLE' }));
  });

  it('brings addresses of one host to one form', async () => {
    expect(await of('HTTP://Example.com:80/')).toBe('http://example.com');
    expect(await of('http://[::1]:4747/')).toBe('http://[::1]:4747');
  });

  it.each(['localhost:4747', 'ftp://h', 'http://', 'http://me:secret@h', 'http://h/api', 'http://h?x=1', 'x'])(
    'refuses %s',
    async (text) => {
      await expect(of(text)).rejects.toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    },
  );
});

describe('credentialFor', () => {
  it('takes PLATFORM_API_KEY, then the stored key, then the local token', async () => {
    const dataDir = dataDirOfHost();
    const PLATFORM_CONFIG_DIR = tempDir();
    expect(await credentialFor(URL_A, { env: { PLATFORM_CONFIG_DIR }, dataDir })).toBe('local_t');
    new Credentials(PLATFORM_CONFIG_DIR).set(URL_A, KEY);
    expect(await credentialFor(URL_A, { env: { PLATFORM_CONFIG_DIR }, dataDir })).toBe('plat_a');
    const env = { PLATFORM_CONFIG_DIR, PLATFORM_API_KEY: ' plat_env\n' };
    expect(await credentialFor(URL_A, { env, dataDir })).toBe('plat_env');
  });

  it('gives the local token and stored keys to their own host only', async () => {
    const dataDir = dataDirOfHost();
    const PLATFORM_CONFIG_DIR = tempDir();
    new Credentials(PLATFORM_CONFIG_DIR).set(URL_A, KEY);
    expect(existsSync(join(PLATFORM_CONFIG_DIR, 'credentials.json'))).toBe(true);
    for (const url of ['http://127.0.0.1:4748', 'https://127.0.0.1:4747', 'http://evil.example']) {
      expect(await credentialFor(url, { env: { PLATFORM_CONFIG_DIR }, dataDir })).toBeNull();
    }
  });
});
