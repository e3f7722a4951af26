import { EventEmitter } from 'node:events';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import process from 'node:process';
import { browser } from './browser.mjs';
import { SingleInstance } from './single-instance.mjs';
import { preventable, strict } from './strict.mjs';

const ready = Promise.withResolvers();
const paths = new Map([['home', homedir()]]);
const loginItem = { openAtLogin: false };
let manifest = {};
let appPath = '';
let isReady = false;
let isExiting = false;

class App extends EventEmitter {
  isPackaged = false;
  commandLine = strict('app.commandLine', { appendSwitch: () => undefined });
  _instance = null;
  _isSandboxed = false;
  _isQuitting = false;

  isReady = () => isReady;
  whenReady = () => ready.promise;
  getAppPath = () => appPath;
  getVersion = () => manifest.version;
  getName = () => manifest.name;
  getLoginItemSettings = () => loginItem;
  setLoginItemSettings = (settings) => Object.assign(loginItem, settings);
  setAsDefaultProtocolClient = () => true;

  getPath(name) {
    const path = paths.get(name);
    if (path === undefined) throw new Error(`Failed to get '${name}' path`);
    return path;
  }

  setPath(name, path) {
    mkdirSync(path, { recursive: true });
    paths.set(name, path);
  }

  enableSandbox() {
    if (isReady) throw new Error('app.enableSandbox() can only be called before app is ready');
    app._isSandboxed = true;
  }

  requestSingleInstanceLock() {
    app._instance = new SingleInstance(app.getPath('userData'), (argv, cwd) =>
      app.emit('second-instance', preventable(), argv, cwd),
    );
    return app._instance.take();
  }

  quit() {
    if (app._isQuitting) return;
    const before = preventable();
    app.emit('before-quit', before);
    if (before.defaultPrevented) return;
    app._isQuitting = true;
    if (browser.windows.size === 0) app._finish();
    for (const window of [...browser.windows.values()]) window.close();
  }

  /** A window does not close: the app does not end. */
  _stay() {
    app._isQuitting = false;
  }

  /** The last window has closed. */
  _finish() {
    const will = preventable();
    app.emit('will-quit', will);
    if (will.defaultPrevented) app._isQuitting = false;
    else app.exit(0);
  }

  exit(code = 0) {
    if (isExiting) return;
    isExiting = true;
    const end = () => {
      app.emit('quit', preventable(), code);
      browser.chromium?.kill();
      // Not `process.exit`, which waits for a debugger such as the tests to go first.
      process.reallyExit(code);
    };
    if (app._instance === null) end();
    else void app._instance.release().then(end);
  }
}

export const app = strict('app', new App());

/** Called by boot.mjs: `prepare` before the app's main file, `run` after it. */
export const start = {
  prepare(given) {
    manifest = given.manifest;
    appPath = given.appPath;
    app.isPackaged = given.isPackaged;
  },
  async run() {
    if (isExiting) return;
    await browser.launch(() => {
      if (isExiting) return;
      process.stderr.write('The double of Electron ends: its Chromium has ended.\n');
      app.exit(1);
    });
    // The line that Playwright waits for.
    process.stderr.write(`\nDevTools listening on ${browser.chromium.url}\n`);
    isReady = true;
    app.emit('ready', preventable(), {});
    ready.resolve();
  },
};
