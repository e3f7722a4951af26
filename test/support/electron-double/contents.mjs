import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { extname, isAbsolute } from 'node:path';
import process from 'node:process';
import { app } from './app.mjs';
import { browser } from './browser.mjs';
import { decode, encode } from './codec.mjs';
import { session as sessions } from './session.mjs';
import { preventable, strict } from './strict.mjs';

const WORLD = readFileSync(new URL('./page-world.js', import.meta.url), 'utf8')
  .trim()
  .replace(/;$/, '');
const NONCE = randomBytes(8).toString('hex');
const ISOLATED = 'preload of the double';
const IGNORED = () => undefined;

const handlers = new Map();
export const ipcMain = strict('ipcMain', {
  handle(channel, handler) {
    if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    handlers.set(channel, handler);
  },
});

/** The script that a page runs in the isolated world: the preload script, as a sandbox would run it. */
function preloadSource(file) {
  const world = `(${WORLD})('isolated',${JSON.stringify(NONCE)},window===window.top);`;
  if (file === undefined) return world;
  if (!isAbsolute(file)) throw new Error(`preload script must have absolute path: ${file}`);
  if (extname(file) === '.mjs') throw new Error(`A sandboxed preload script cannot be an ES module: ${file}`);
  const require = `(name)=>{if(name==='electron')return __doublePreload.electron;throw new Error('module not found: '+name)}`;
  const text = readFileSync(file, 'utf8');
  return `${world}if(window===window.top){(function(require,exports,module,process){${text}\n})(${require},{},{exports:{}},{platform:${JSON.stringify(process.platform)}})}`;
}

class WebContents extends EventEmitter {
  id;
  session = sessions.defaultSession;
  _page = null;
  _frame = '';
  _url = '';
  _world = null;
  _loading = false;
  _wanted = null;
  _opened = null;
  _openHandler = () => ({ action: 'allow' });
  _destroyed = false;
  _up = Promise.withResolvers();

  constructor(id) {
    super();
    this.id = id;
    this._up.promise.catch(IGNORED);
  }

  isDestroyed = () => this._destroyed;
  getURL = () => this._url;

  setWindowOpenHandler(handler) {
    this._openHandler = handler;
  }

  async _attach(page, preload) {
    this._page = page;
    page.on('Runtime.executionContextCreated', ({ context }) => {
      // The unique id: a plain one is used again by another process of the page.
      if (context.name === ISOLATED && context.auxData?.frameId === this._frame) this._world = context.uniqueId;
    });
    page.on('Runtime.executionContextDestroyed', ({ executionContextUniqueId }) => {
      if (executionContextUniqueId === this._world) this._world = null;
    });
    page.on('Runtime.bindingCalled', ({ payload, executionContextId }) => {
      void this._answer(JSON.parse(payload), executionContextId);
    });
    page.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId !== undefined) return;
      // What stands where a page could not be loaded has that page's address, as in Electron.
      this._url = frame.unreachableUrl ?? frame.url;
      this.emit('did-navigate', preventable(), this._url, 200, 'OK');
    });
    page.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      if (frameId === this._frame) this._url = url;
    });
    page.on('Page.loadEventFired', () => this.emit('did-finish-load', preventable()));
    page.on('Page.frameRequestedNavigation', ({ frameId, url }) => {
      if (frameId === this._frame) this._wants(url);
    });
    page.on('Page.windowOpen', ({ url }) => {
      this._opened = url;
    });
    page.on('Page.javascriptDialogOpening', ({ type }) => void this._mayGo(type).catch(IGNORED));
    page.on('Fetch.requestPaused', (request) => void this._asked(request).catch(IGNORED));
    page.on('Inspector.targetCrashed', () => {
      this.emit('render-process-gone', preventable(), { reason: 'crashed', exitCode: 139 });
    });
    await page.send('Page.enable');
    this._frame = (await page.send('Page.getFrameTree')).frameTree.frame.id;
    const inMain = `(${WORLD})('main',${JSON.stringify(NONCE)},window===window.top)`;
    await Promise.all([
      page.send('Inspector.enable'),
      page.send('Runtime.addBinding', { name: '__doubleIpc', executionContextName: ISOLATED }),
      page.send('Page.addScriptToEvaluateOnNewDocument', { source: inMain }),
      page.send('Page.addScriptToEvaluateOnNewDocument', { source: preloadSource(preload), worldName: ISOLATED }),
      page.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] }),
      page.send('Runtime.enable'),
    ]);
    await page.send('Runtime.runIfWaitingForDebugger').catch(IGNORED);
    this._up.resolve();
  }

  /** The page wants to go somewhere. What no page can show, such as a link that starts a program, is never asked for. */
  _wants(url) {
    if (/^(https?|data|blob|about):/.test(url)) {
      this._wanted = url;
      return;
    }
    const event = preventable({ url, isMainFrame: true });
    this.emit('will-frame-navigate', event);
    if (!event.defaultPrevented) this.emit('will-navigate', event, url);
    if (!event.defaultPrevented) throw new Error(`The double of Electron starts no program for ${url}`);
  }

  /** The page does not want to be left, as `beforeunload` can say: it stays, unless the app prevents that. */
  async _mayGo(type) {
    if (type !== 'beforeunload') throw new Error(`The double of Electron knows no ${type} of a page`);
    const event = preventable();
    // A destroyed window asks no question.
    if (this._destroyed) event.preventDefault();
    else this.emit('will-prevent-unload', event);
    if (!event.defaultPrevented) app._stay();
    await this._page.send('Page.handleJavaScriptDialog', { accept: event.defaultPrevented });
  }

  /** Closes the page, where it lets itself be closed. */
  async _leave() {
    await this._up.promise;
    await this._page.send('Page.close');
  }

  /** A page wants to go somewhere: the app may forbid it, and what the app itself loads is not asked about. */
  async _asked({ requestId, request, frameId, redirectedRequestId }) {
    const event = preventable({ url: request.url, isMainFrame: frameId === this._frame });
    if (redirectedRequestId !== undefined) this.emit('will-redirect', event, request.url);
    const byPage = event.isMainFrame ? this._wanted !== null && !this._loading : true;
    if (byPage) {
      this.emit('will-frame-navigate', event);
      if (event.isMainFrame && !event.defaultPrevented) this.emit('will-navigate', event, request.url);
    }
    if (event.isMainFrame) this._wanted = null;
    if (event.defaultPrevented) await this._page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    else await this._page.send('Fetch.continueRequest', { requestId });
  }

  async _answer({ id, channel, args }, contextId) {
    const { origin } = URL.canParse(this._url) ? new URL(this._url) : { origin: 'null' };
    const event = { sender: this, senderFrame: { url: this._url, origin, parent: null } };
    const handler = handlers.get(channel);
    let outcome;
    try {
      if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
      outcome = { value: encode(await handler(event, ...args.map(decode))) };
    } catch (error) {
      outcome = { error: String(error) };
    }
    await this._receive({ kind: 'reply', id, channel, ...outcome }, { contextId });
  }

  async _receive(message, where) {
    const expression = `globalThis.__doubleReceive(${JSON.stringify(JSON.stringify(message))})`;
    // The page may have navigated meanwhile and no longer wait for this.
    await this._page.send('Runtime.evaluate', { expression, ...where }).catch(IGNORED);
  }

  send(channel, ...args) {
    if (this._world === null) return;
    void this._receive({ kind: 'event', channel, args: args.map(encode) }, { uniqueContextId: this._world });
  }

  async loadURL(url) {
    await this._up.promise;
    if (url.startsWith('http')) await this.session._settle(new URL(url).origin);
    const loaded = new Promise((resolve) => this.once('did-finish-load', resolve));
    this._loading = true;
    const { errorText, loaderId } = await this._page.send('Page.navigate', { url }).finally(() => {
      this._loading = false;
    });
    if (errorText !== undefined) {
      const code = errorText.replace('net::', '');
      throw Object.assign(new Error(`${code} loading '${url.slice(0, 200)}'`), { code, url });
    }
    if (loaderId !== undefined) await loaded;
  }

  async executeJavaScript(expression) {
    await this._up.promise;
    const parameters = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this._page.send('Runtime.evaluate', parameters);
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  forcefullyCrashRenderer() {
    void this._page.send('Page.crash').catch(IGNORED);
  }
}

export function newContents(id) {
  const contents = strict('webContents', new WebContents(id));
  browser.contents.set(id, contents);
  return contents;
}

/** A page has opened another one: the app decides, and a denied one never uses the network. */
browser.onPopup = async ({ targetId, openerId, url }, page) => {
  const opener = [...browser.windows.values()].find((window) => window._targetId === openerId)?.webContents;
  const wanted = opener?._opened ?? url;
  if (opener !== undefined) opener._opened = null;
  const { action } = opener?._openHandler({ url: wanted }) ?? { action: 'deny' };
  if (action !== 'deny') throw new Error('The double of Electron opens no second window');
  // Closed only once it runs: while it waits, it holds up the page that opened it, with which it shares a process.
  void page.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }).catch(IGNORED);
  void page.send('Runtime.runIfWaitingForDebugger').catch(IGNORED);
  await browser.tools.send('Target.closeTarget', { targetId }).catch(IGNORED);
};

export const announce = (contents) => app.emit('web-contents-created', preventable(), contents);
