import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Updater, Updates } from '../../../../src/main/electron/updates.ts';

class FakeUpdater extends EventEmitter implements Updater {
  autoDownload = false;
  autoInstallOnAppQuit = true;
  checks = 0;
  readonly installed: boolean[] = [];

  checkForUpdates(): Promise<unknown> {
    this.checks += 1;
    return Promise.reject(new Error('no network'));
  }

  quitAndInstall(_isSilent: boolean, startAgain: boolean): void {
    this.installed.push(startAgain);
  }
}

describe('Updates', () => {
  it('fetches what is new and installs nothing by itself', async () => {
    const updater = new FakeUpdater();
    const errors: string[] = [];
    let told = 0;
    const updates = new Updates({
      load: () => Promise.resolve(updater),
      ready: () => {
        told += 1;
      },
      onError: (where) => errors.push(where),
    });
    await updates.start();
    expect([updater.autoDownload, updater.autoInstallOnAppQuit, updater.checks]).toEqual([true, false, 1]);
    expect(errors).toEqual(['search for updates']);
    expect([updates.version, updates.install(true)]).toEqual([null, false]);
    updater.emit('update-downloaded', { version: '9.9.9' });
    expect([updates.version, told, updater.installed]).toEqual(['9.9.9', 1, []]);
    expect(updates.install(false)).toBe(true);
    expect(updater.installed).toEqual([false]);
  });

  it('does nothing where there are none to be had', async () => {
    const updates = new Updates({
      load: () => Promise.resolve(null),
      ready: () => undefined,
      onError: (_, error) => {
        throw error;
      },
    });
    await updates.start();
    expect(updates.install(true)).toBe(false);
  });
});
