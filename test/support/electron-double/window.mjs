import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { webPreferences } from '../../../src/main/desktop/web-preferences.ts';
import { app } from './app.mjs';
import { browser } from './browser.mjs';
import { announce, newContents } from './contents.mjs';
import { preventable, strict } from './strict.mjs';

/** The real one would accept anything; no page of ours may be shut in by less than the app's one rule. */
function refuseUnsafe(preferences = {}) {
  if (!app._isSandboxed) throw new Error('Unsafe: no app.enableSandbox() before the first window');
  if (isDeepStrictEqual(preferences, webPreferences(preferences.preload, app.isPackaged))) return;
  throw new Error(`Unsafe webPreferences: ${JSON.stringify(preferences)}`);
}

let lastId = 0;

class Window extends EventEmitter {
  id;
  webContents;
  _targetId = null;
  _bounds;
  _shape = 'normal';
  _visible = false;
  _closed = false;

  constructor(options = {}) {
    super();
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    refuseUnsafe(options.webPreferences);
    lastId += 1;
    this.id = lastId;
    const { x = 0, y = 0, width = 800, height = 600 } = options;
    this._bounds = { x, y, width, height };
    this.webContents = newContents(this.id);
    this.webContents.once('did-finish-load', () => setImmediate(() => this.emit('ready-to-show')));
    this._open(options.webPreferences.preload).catch((error) => this.webContents._up.reject(error));
    announce(this.webContents);
  }

  async _open(preload) {
    const { targetId, session } = await browser.newPage(this._bounds);
    this._targetId = targetId;
    await this.webContents._attach(session, preload);
    const { width, height } = this._bounds;
    await session.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    if (this._closed) this._closeTarget();
  }

  _closeTarget() {
    if (this._targetId === null) return;
    void browser.tools.send('Target.closeTarget', { targetId: this._targetId }).catch(() => undefined);
  }

  _gone() {
    if (this._closed) return;
    this._closed = true;
    browser.windows.delete(this.id);
    browser.contents.delete(this.webContents.id);
    this.webContents._destroyed = true;
    this.webContents.emit('destroyed');
    this.emit('closed');
    if (browser.windows.size > 0) return;
    if (app._isQuitting) app._finish();
    else if (app.listenerCount('window-all-closed') > 0) app.emit('window-all-closed');
    else app.quit();
  }

  /** As a click on its button: first the app is asked, then the page. */
  close() {
    const event = preventable();
    this.emit('close', event);
    if (event.defaultPrevented) app._stay();
    else void this.webContents._leave().catch(() => this.destroy());
  }

  destroy() {
    this._closeTarget();
    this._gone();
  }

  loadURL(url) {
    return this.webContents.loadURL(url);
  }

  isDestroyed = () => this._closed;
  isVisible = () => this._visible;
  isMinimized = () => this._shape === 'minimized';
  isMaximized = () => this._shape === 'maximized';
  isFullScreen = () => false;
  getBounds = () => ({ ...this._bounds });
  getNormalBounds = () => ({ ...this._bounds });

  show() {
    this._visible = true;
    this.emit('show');
  }

  focus() {
    this.emit('focus');
  }

  minimize() {
    this._shape = 'minimized';
  }

  maximize() {
    this._shape = 'maximized';
    this.emit('maximize');
  }

  restore() {
    this._shape = 'normal';
  }

  setBounds(bounds) {
    Object.assign(this._bounds, bounds);
    this.emit('resize');
  }
}

export const BrowserWindow = new Proxy(Window, {
  construct(Target, [options]) {
    const window = strict('BrowserWindow', new Target(options));
    browser.windows.set(window.id, window);
    return window;
  },
});
Object.assign(Window, {
  getAllWindows: () => [...browser.windows.values()],
  fromWebContents: (contents) => [...browser.windows.values()].find((one) => one.webContents === contents) ?? null,
});
