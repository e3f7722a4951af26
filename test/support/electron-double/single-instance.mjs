import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

const TRIES = 100;
const STEP_MS = 20;

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}

/** One running app for a folder: the first one receives a later one's arguments. */
export class SingleInstance {
  #pidFile;
  #socket;
  #onSecond;
  #server = null;
  #told = Promise.resolve();

  constructor(dir, onSecond) {
    this.#pidFile = join(dir, 'double.pid');
    this.#socket = join(dir, 'double.sock');
    this.#onSecond = onSecond;
  }

  /** Synchronous, as the real one; false when another process has it, which is told. */
  take() {
    try {
      writeFileSync(this.#pidFile, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const holder = Number(readFileSync(this.#pidFile, 'utf8'));
      if (holder === 0 || isAlive(holder)) {
        this.#told = this.#tell();
        return false;
      }
      rmSync(this.#pidFile, { force: true });
      return this.take();
    }
    rmSync(this.#socket, { force: true });
    this.#server = createServer((client) => {
      let text = '';
      client.on('data', (chunk) => {
        text += chunk;
      });
      client.on('end', () => {
        const { argv, cwd } = JSON.parse(text);
        this.#onSecond(argv, cwd);
        client.end('heard');
      });
    }).listen(this.#socket);
    this.#server.unref();
    return true;
  }

  /** Resolves once a first one has heard, or ours is given back. */
  async release() {
    await this.#told;
    if (this.#server === null) return;
    this.#server.close();
    rmSync(this.#socket, { force: true });
    rmSync(this.#pidFile, { force: true });
  }

  async #tell() {
    for (let tried = 0; tried < TRIES; tried++) {
      if (await this.#sent()) return;
      // The first one has the file and not yet the socket.
      await wait(STEP_MS);
    }
  }

  #sent() {
    return new Promise((resolve) => {
      const client = connect({ path: this.#socket, allowHalfOpen: true });
      client.once('error', () => resolve(false));
      client.once('data', () => {
        client.destroy();
        resolve(true);
      });
      client.once('connect', () => client.end(JSON.stringify({ argv: process.argv, cwd: process.cwd() })));
    });
  }
}
