import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findElectron, windowObstacle } from '../../../src/cli/electron-binary.ts';
import { PACKAGE_DIR } from '../../../src/cli/product-paths.ts';
import { tempDir } from '../../support/temp.ts';

const LINUX = { platform: 'linux', uid: 1000 } as const;

describe('windowObstacle', () => {
  it('knows a display of either kind, and only misses it on Linux', () => {
    expect(windowObstacle({ ...LINUX, env: {} })).toContain('no display');
    expect(windowObstacle({ ...LINUX, env: { DISPLAY: '' } })).toContain('no display');
    expect(windowObstacle({ ...LINUX, env: { DISPLAY: ':0' } })).toBeNull();
    expect(windowObstacle({ ...LINUX, env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBeNull();
    expect(windowObstacle({ platform: 'darwin', uid: 501, env: {} })).toBeNull();
    expect(windowObstacle({ platform: 'win32', uid: undefined, env: {} })).toBeNull();
  });

  it('opens none for root', () => {
    expect(windowObstacle({ platform: 'linux', uid: 0, env: { DISPLAY: ':0' } })).toContain('root');
  });
});

describe.skipIf(process.platform === 'win32')('findElectron', () => {
  /** A package `electron` whose install script does this, and whose binary says that on --version. */
  function electronPackage(install: string, binary = 'exit 0'): string {
    const dir = join(tempDir(), 'node_modules', 'electron');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'package.json'), '{"type":"commonjs"}');
    const files = `const fs = require('fs'); fs.mkdirSync(__dirname + '/dist', { recursive: true });
      fs.writeFileSync(__dirname + '/dist/electron', ${JSON.stringify(`#!/bin/sh\n${binary}\n`)}, { mode: 0o755 });
      fs.writeFileSync(__dirname + '/path.txt', 'electron');`;
    writeFileSync(join(dir, 'install.js'), install === 'works' ? files : install);
    return dir;
  }

  it('fetches it once', async () => {
    const dir = electronPackage('works');
    const said: string[] = [];
    const found = { program: join(dir, 'dist', 'electron'), args: [PACKAGE_DIR] };
    expect(await findElectron({}, (text) => said.push(text), dir)).toEqual(found);
    expect(await findElectron({}, (text) => said.push(text), dir)).toEqual(found);
    expect(said).toHaveLength(1);
  });

  it('says why it could not be fetched, and does not try at every start', async () => {
    const dir = electronPackage("console.error('TypeError: fetch failed'); process.exit(1);");
    const said: string[] = [];
    const first = await findElectron({}, (text) => said.push(text), dir);
    expect(first).toEqual({ why: 'Electron could not be fetched (TypeError: fetch failed)' });
    const second = await findElectron({}, (text) => said.push(text), dir);
    expect(second).toMatchObject({ why: expect.stringContaining('npx install-electron') });
    expect(said).toHaveLength(1);
    expect(existsSync(join(dir, '..', '.platform-electron'))).toBe(true);
  });

  it('does not take one that cannot start', async () => {
    const dir = electronPackage('works', 'echo "libgtk-3.so.0: cannot open shared object file" >&2; exit 127');
    expect(await findElectron({}, () => undefined, dir)).toEqual({
      why: 'Electron does not start here (libgtk-3.so.0: cannot open shared object file)',
    });
  });

  it('says that an installation without the package has none, and takes one that is named', async () => {
    const dir = join(tempDir(), 'node_modules', 'electron');
    expect(await findElectron({}, () => undefined, dir)).toEqual({ why: 'Electron is not part of this installation' });
    const other = tempDir();
    writeFileSync(join(other, 'electron'), '#!/bin/sh\n');
    chmodSync(join(other, 'electron'), 0o755);
    const env = { ELECTRON_OVERRIDE_DIST_PATH: other };
    expect(await findElectron(env, () => undefined, dir)).toMatchObject({ program: join(other, 'electron') });
  });
});
