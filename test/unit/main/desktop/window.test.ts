import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DesktopHost } from '../../../../src/contract/desktop-bridge.ts';
import type { MainWindow } from '../../../../src/main/desktop/window.ts';
import { tempDir } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';

const ORIGIN = 'http://127.0.0.1:4747';

/** The part of an Electron window that the app uses: its current page. */
class FakeWindow extends EventEmitter {
  readonly loaded: string[] = [];
  readonly webContents = Object.assign(new EventEmitter(), {
    getURL: () => this.loaded.at(-1) ?? '',
    send: () => undefined,
  });
  readonly loadURL = async (address: string): Promise<void> => void this.loaded.push(address);
  readonly isDestroyed = () => false;
  readonly isMinimized = () => false;
  readonly show = () => undefined;
  readonly focus = () => undefined;
}

describe('the window', () => {
  let made: FakeWindow[] = [];
  let open: (logIn: () => Promise<void>) => MainWindow;

  beforeAll(async () => {
    vi.doMock('electron', () => ({
      BrowserWindow: class extends FakeWindow {
        constructor() {
          super();
          made.push(this);
        }
      },
      dialog: {},
      screen: { getAllDisplays: () => [] },
    }));
    const { MainWindow: Window } = await import('../../../../src/main/desktop/window.ts');
    const host: DesktopHost = { at: 'running', own: true, pid: 1 };
    open = (logIn) =>
      new Window({
        preload: '',
        icon: '',
        isPackaged: true,
        stateFile: join(tempDir(), 'window.json'),
        origin: () => ORIGIN,
        logIn,
        host: () => host,
        closed: () => undefined,
        onError: (_, error) => {
          throw error;
        },
      });
  });

  afterAll(() => vi.doUnmock('electron'));

  it('leads to the place of the last link, also where that comes while it is being logged in', async () => {
    made = [];
    let logIn = Promise.resolve();
    const window = open(() => logIn);
    window.show('/bots/a');
    await until('the first place', () => made[0]?.loaded.at(-1) === `${ORIGIN}/bots/a`, 10_000);
    let go = (): void => undefined;
    logIn = new Promise((resolve) => {
      go = resolve;
    });
    window.show('/bots/b');
    window.show('/bots/c');
    go();
    await until('the next page', () => made[0]?.loaded.length === 2, 10_000);
    expect(made[0]?.loaded.at(-1)).toBe(`${ORIGIN}/bots/c`);
  });
});
