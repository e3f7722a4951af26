import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Updater, Updates } from '../../../../src/main/desktop/updates.ts';

class FakeUpdater extends EventEmitter implements Updater {
  autoDownload = false;
  autoInstallOnAppQuit = true;
  autoRunAppAfterInstall = true;
  checks = 0;
  answers = false;
  readonly installed: boolean[] = [];

  checkForUpdates(): Promise<unknown> {
    this.checks += 1;
    if (this.answers) return Promise.resolve();
    return Promise.reject(new Error('no network'));
  }

  quitAndInstall(_isSilent: boolean, startAgain: boolean): void {
    this.installed.push(startAgain);
  }
}

describe('Updates', () => {
  it('are never looked for where the updater says that it cannot work, and do not seem to be looked for', async () => {
    const updater = new FakeUpdater();
    updater.checkForUpdates = () => Promise.resolve(null);
    const updates = new Updates({
      load: () => Promise.resolve(updater),
      changed: () => undefined,
      now: () => 0,
      onError: () => undefined,
    });
    await updates.start();
    expect(updates.state).toEqual({ at: 'never' });
  });

  it('fetches what is new and installs nothing by itself', async () => {
    const updater = new FakeUpdater();
    const errors: string[] = [];
    const states: string[] = [];
    const updates = new Updates({
      load: () => Promise.resolve(updater),
      changed: () => states.push(updates.state.at),
      now: () => 0,
      onError: (where) => errors.push(where),
    });
    await updates.start();
    expect([updater.autoDownload, updater.autoInstallOnAppQuit, updater.checks]).toEqual([true, false, 1]);
    expect(errors).toEqual(['search for updates']);
    const failures: unknown[] = [];
    const install = (startAgain: boolean) => updates.install(startAgain, (error) => failures.push(error));
    expect([updates.version, install(true)]).toEqual([null, false]);
    updater.emit('update-downloaded', { version: '9.9.9' });
    expect([updates.version, updater.installed]).toEqual(['9.9.9', []]);
    expect(states).toEqual(['checking', 'failed', 'ready']);
    updater.emit('error', new Error('the next search'));
    expect([install(false), updater.autoRunAppAfterInstall]).toEqual([true, false]);
    expect(updater.installed).toEqual([false]);
    // A password that was not given, a disk that is full: the app is still there, and would stay without a host.
    expect(failures).toEqual([]);
    updater.emit('error', new Error('refused'));
    expect(failures).toEqual([new Error('refused')]);
  });

  it('looks when it is asked to, one look at a time, and says how that went', async () => {
    const updater = new FakeUpdater();
    const updates = new Updates({
      load: () => Promise.resolve(updater),
      changed: () => undefined,
      now: () => 0,
      onError: () => undefined,
    });
    await updates.start();
    const checked_at = '1970-01-01T00:00:00.000Z';
    expect(updates.state).toEqual({ at: 'failed', message: 'no network', checked_at });
    updater.answers = true;
    await updates.check();
    expect(updates.state).toEqual({ at: 'checking' });
    await updates.check();
    expect(updater.checks).toBe(2);
    updater.emit('update-not-available', { version: '1.0.0' });
    expect(updates.state).toEqual({ at: 'newest', checked_at });
    updater.emit('update-available', { version: '2.0.0' });
    expect(updates.state).toEqual({ at: 'fetching', version: '2.0.0' });
    updater.emit('update-downloaded', { version: '2.0.0' });
    updater.emit('error', new Error('later'));
    expect(updates.state).toEqual({ at: 'ready', version: '2.0.0' });
  });

  it('does nothing where there are none to be had', async () => {
    const updates = new Updates({
      load: () => Promise.resolve(null),
      changed: () => undefined,
      now: () => 0,
      onError: (_, error) => {
        throw error;
      },
    });
    await updates.start();
    expect(updates.install(true, () => undefined)).toBe(false);
  });
});
