// Chromium, and the DevTools protocol to it (flat sessions) over Node's own WebSocket.
import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const PLACES = [process.env.PLATFORM_TEST_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'];

const FLAGS = [
  '--headless=new',
  '--remote-debugging-port=0',
  // The pipe carries nothing: Chromium exits when its other end closes, also after SIGKILL.
  '--remote-debugging-pipe',
  '--no-startup-window',
  '--no-first-run',
  '--disable-gpu',
  // A process apart for pictures, and one for a page that might be opened next, are of no use here.
  '--in-process-gpu',
  '--disable-quic',
  '--disable-sync',
  '--disable-extensions',
  // Its own windows for suggestions below the address bar cost as much as the pages of the tests.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxFullPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess',
  '--disable-breakpad',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
  '--password-store=basic',
];

/** A connection to the whole browser; `session` gives the one of a page. */
export class DevTools extends EventEmitter {
  #socket;
  #lastId = 0;
  #waiting = new Map();
  #sessions = new Map();

  static async connect(url) {
    const tools = new DevTools();
    tools.setMaxListeners(0);
    tools.#socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      tools.#socket.onopen = resolve;
      tools.#socket.onerror = () => reject(new Error(`no connection to ${url}`));
    });
    tools.#socket.onmessage = ({ data }) => tools.#receive(JSON.parse(data));
    tools.#socket.onclose = () => {
      for (const { reject, method } of tools.#waiting.values()) reject(new Error(`${method}: Chromium is gone`));
      tools.#waiting.clear();
      tools.emit('closed');
    };
    return tools;
  }

  #receive(message) {
    if (message.id === undefined) {
      const target = message.sessionId === undefined ? this : this.#sessions.get(message.sessionId);
      target?.emit(message.method, message.params);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.result);
    else waiting?.reject(new Error(`${waiting.method}: ${message.error.message}`));
  }

  send(method, params = {}, sessionId = undefined) {
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      this.#waiting.set(this.#lastId, { resolve, reject, method });
      this.#socket.send(JSON.stringify({ id: this.#lastId, method, params, sessionId }));
    });
  }

  session(id) {
    let session = this.#sessions.get(id);
    if (session === undefined) {
      session = Object.assign(new EventEmitter(), { send: (method, params) => this.send(method, params, id) });
      session.setMaxListeners(0);
      this.#sessions.set(id, session);
    }
    return session;
  }
}

function kill(child, dir) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
  rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 25 });
}

/** Starts a Chromium of its own; `kill` ends it with its folder, as does the end of this process. */
export async function launchChromium() {
  const program = PLACES.find((path) => path !== undefined && existsSync(path));
  if (program === undefined) throw new Error('There is no Chromium here; PLATFORM_TEST_CHROMIUM names one.');
  const dir = mkdtempSync(join(tmpdir(), 'electron-double-'));
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = spawn(program, [...FLAGS, ...sandbox, `--user-data-dir=${dir}`], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let killed = false;
  const end = () => {
    if (!killed) kill(child, dir);
    killed = true;
  };
  process.once('exit', end);
  const url = await new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
      const found = /^DevTools listening on (ws:\/\/\S+)/m.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`Chromium ended with ${code}:\n${text.slice(-1500)}`)));
    child.once('error', reject);
  });
  return { url, tools: await DevTools.connect(url), kill: end };
}
