import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  autostartEntry,
  isAutostartOn,
  removeAutostart,
  writeAutostart,
} from '../../../../src/main/desktop/linux-autostart.ts';
import { autostartFile } from '../../../../src/shared/autostart-file.ts';
import { tempDir } from '../../../support/temp.ts';

describe('the start at login on Linux', () => {
  it('stands where desktops look', () => {
    expect(autostartFile({}, '/home/a')).toBe('/home/a/.config/autostart/bot-platform.desktop');
    expect(autostartFile({ XDG_CONFIG_HOME: '/c' }, '/home/a')).toBe('/c/autostart/bot-platform.desktop');
    expect(autostartFile({ XDG_CONFIG_HOME: 'c' }, '/home/a')).toBe('/home/a/.config/autostart/bot-platform.desktop');
  });

  it('starts the app without a window, whatever its path is', () => {
    const entry = autostartEntry(['/opt/Bot Platform/app', '--hidden']);
    expect(entry).toContain('Exec="/opt/Bot Platform/app" "--hidden"\n');
    expect(isAutostartOn(entry)).toBe(true);
    // So desktops switch an entry off that they did not make.
    expect(isAutostartOn(`${entry}Hidden=true\n`)).toBe(false);
    expect(isAutostartOn(entry.replace('enabled=true', 'enabled=false'))).toBe(false);
    expect(autostartEntry(['/a%b"$`\\c'])).toContain('Exec="/a%%b\\\\"\\\\$\\\\`\\\\\\\\c"');
  });
});

describe.skipIf(process.platform === 'win32')('the entry of the start at login', () => {
  it('takes the place of a link, and not of what that leads to', async () => {
    const dir = tempDir();
    const [menu, file] = [join(dir, 'menu.desktop'), join(dir, 'autostart', 'bot-platform.desktop')];
    writeFileSync(menu, 'the entry in the menu');
    mkdirSync(dirname(file));
    symlinkSync(menu, file);
    await writeAutostart(file, ['/opt/app', '--hidden']);
    expect([readFileSync(menu, 'utf8'), isAutostartOn(readFileSync(file, 'utf8'))]).toEqual([
      'the entry in the menu',
      true,
    ]);
    await removeAutostart(file);
    expect([existsSync(menu), existsSync(file)]).toEqual([true, false]);
  });
});
