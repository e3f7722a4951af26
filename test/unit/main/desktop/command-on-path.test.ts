import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  commandControl,
  commandFile,
  commandNow,
  commandWords,
  installCommand,
  removeCommand,
} from '../../../../src/main/desktop/command-on-path.ts';
import { tempDir } from '../../../support/temp.ts';

describe('the command on the PATH', () => {
  const parts = (home: string, path = '/usr/bin') => ({
    platform: 'linux' as const,
    env: { PATH: path },
    home,
    node: process.execPath,
    program: join(home, "it's here.mjs"),
  });
  const appImage = null;

  it.skipIf(process.platform === 'win32')('runs the command line with its arguments', async () => {
    const home = tempDir();
    writeFileSync(join(home, "it's here.mjs"), 'console.log(JSON.stringify(process.argv.slice(2)))');
    const bin = join(home, '.local', 'bin');
    expect(commandNow(parts(home))).toMatchObject({ at: 'missing', on_path: false });
    const onPath = parts(home, `/usr/bin:${bin}`);
    await installCommand(onPath);
    expect(commandWords(commandNow(onPath))).toContain('Open a new terminal');
    const file = join(bin, 'platform');
    expect(JSON.parse(execFileSync(file, ['a b', '$x'], { encoding: 'utf8' }))).toEqual(['a b', '$x']);
    expect(statSync(file).mode & 0o111).toBe(0o111);
    expect(commandWords(commandNow(parts(home)))).toContain(`Add ${bin} to your PATH`);
    expect(commandNow({ ...parts(home), node: '/elsewhere/node' }).at).toBe('outdated');
    await removeCommand(parts(home));
    expect([existsSync(file), commandNow(parts(home)).at]).toEqual([false, 'missing']);
  });

  it('leaves the program of somebody else alone', async () => {
    const home = tempDir();
    const { file } = commandFile(parts(home));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\necho other\n');
    await expect(installCommand(parts(home))).rejects.toThrow("another program's");
    await expect(removeCommand(parts(home))).rejects.toThrow("another program's");
    expect(commandNow(parts(home)).at).toBe('foreign');
    expect(readFileSync(file, 'utf8')).toContain('echo other');
  });

  it("is not there, or is somebody else's, where no file can be read: the settings can be shown all the same", async () => {
    const [folder, file] = [tempDir(), tempDir()];
    mkdirSync(join(folder, '.local/bin/platform'), { recursive: true });
    expect(commandNow(parts(folder)).at).toBe('foreign');
    await expect(installCommand(parts(folder))).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    writeFileSync(join(file, '.local'), '');
    expect(commandNow(parts(file)).at).toBe('missing');
  });

  it.skipIf(process.platform === 'win32')('leaves the link of somebody else alone that leads nowhere', async () => {
    const home = tempDir();
    const { file } = commandFile(parts(home));
    mkdirSync(dirname(file), { recursive: true });
    symlinkSync('/mnt/away/platform', file);
    await expect(installCommand(parts(home))).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    await expect(removeCommand(parts(home))).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    expect([commandNow(parts(home)).at, readlinkSync(file)]).toEqual(['foreign', '/mnt/away/platform']);
  });

  it('is nothing that an AppImage, or an installation without a Node, could bring along', async () => {
    const home = tempDir();
    const { node, ...rest } = parts(home);
    for (const control of [
      commandControl({ ...rest, appImage, node: null }),
      commandControl({ ...rest, appImage: '/a.AppImage', node }),
    ]) {
      expect(control.now()).toMatchObject({ at: 'impossible' });
      await expect(control.set(true)).rejects.toThrow('cannot bring the command along');
    }
    expect(commandControl({ ...rest, appImage, node }).now().at).toBe('missing');
  });

  it('is a batch file on Windows', () => {
    const given = {
      ...parts('C:\\Users\\a'),
      platform: 'win32' as const,
      env: { LOCALAPPDATA: 'C:\\L' },
      node: 'n%PATH%.exe',
    };
    const { file, text } = commandFile(given);
    expect(file).toMatch(/WindowsApps.platform\.cmd$/);
    expect(text).toMatch(/^@rem .*\r\n@"n%%PATH%%\.exe" ".*" %\*\r\n$/);
  });
});
