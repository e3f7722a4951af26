import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endOf } from '../support/child-program.ts';
import { tempDir } from '../support/temp.ts';
import { until } from '../support/until.ts';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/run.mjs');

/** Stands for the built command line: repeats what it got, or waits for a signal. */
const CLI = `
import process from 'node:process';
const args = process.argv.slice(2);
if (args[0] === 'wait') {
  process.on('SIGTERM', () => process.exit(7));
  console.log('waiting');
  setInterval(() => undefined, 1000);
} else if (args[0] === 'die') {
  process.kill(process.pid, 'SIGKILL');
} else {
  let input = '';
  for await (const chunk of process.stdin) input += chunk;
  console.log(JSON.stringify({ args, input }));
  process.exitCode = 5;
}
`;

/** Stands for the build: counts its runs and writes the command line. */
const BUILD = `
import { appendFileSync, copyFileSync, mkdirSync } from 'node:fs';
appendFileSync('builds', 'x');
if (process.env.BREAK === '1') {
  console.error('it is broken');
  process.exit(1);
}
console.log('(!) a warning that nobody needs');
mkdirSync('out/main', { recursive: true });
copyFileSync('cli.mjs', 'out/main/platform.js');
`;

/** A checkout with the script in it; `sources` false for an installed package, which is built. */
class Checkout {
  readonly dir = tempDir('run-script-');

  constructor(sources: boolean) {
    for (const folder of ['scripts', 'node_modules/better-sqlite3', 'node_modules/electron-vite/bin']) {
      mkdirSync(join(this.dir, folder), { recursive: true });
    }
    copyFileSync(SCRIPT, join(this.dir, 'scripts', 'run.mjs'));
    this.write('package.json', '{"type":"module"}');
    this.write('cli.mjs', CLI);
    this.write('node_modules/electron-vite/bin/electron-vite.js', BUILD);
    this.write('node_modules/electron-vite/package.json', '{"type":"module"}');
    if (sources) {
      mkdirSync(join(this.dir, 'src'));
      for (const name of ['src/a.ts', 'electron.vite.config.ts', 'package-lock.json']) this.write(name, '');
    } else {
      mkdirSync(join(this.dir, 'out', 'main'), { recursive: true });
      this.write('out/main/platform.js', CLI);
    }
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.dir, name), text);
  }

  builds(): number {
    return existsSync(join(this.dir, 'builds')) ? readFileSync(join(this.dir, 'builds'), 'utf8').length : 0;
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const script = join(this.dir, 'scripts', 'run.mjs');
    return spawn(process.execPath, [script, ...args], { env: { PATH: process.env.PATH, ...env } });
  }

  async run(args: readonly string[], input = '', env: NodeJS.ProcessEnv = {}) {
    const child = this.start(args, env);
    child.stdin?.end(input);
    const { code, stdout, stderr } = await endOf(child);
    return { code, stdout, stderr };
  }

  /** Puts another Node than the one of the tests where npm would. */
  bringNode(): void {
    const folder = join(this.dir, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'node'), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
    chmodSync(join(folder, 'node'), 0o755);
  }
}

const ECHO = '{"args":["a b","--x"],"input":"typed"}\n';

describe.concurrent('scripts/run.mjs, the platform command of a checkout', () => {
  it('is the command of the package, and can be run', () => {
    const root = resolve(SCRIPT, '../..');
    expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).bin).toEqual({ platform: 'scripts/run.mjs' });
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    expect(lock.packages[''].bin).toEqual({ platform: 'scripts/run.mjs' });
    expect(readFileSync(SCRIPT, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    if (process.platform !== 'win32') expect(statSync(SCRIPT).mode & 0o111).toBe(0o111);
  });

  it('builds when there is no build, quietly and off stdout, and again only when a source is newer', async () => {
    const checkout = new Checkout(true);
    const first = await checkout.run(['a b', '--x'], 'typed');
    expect(first).toEqual({ code: 5, stdout: ECHO, stderr: 'Building…\n' });
    expect(await checkout.run(['a b', '--x'], 'typed')).toEqual({ code: 5, stdout: ECHO, stderr: '' });
    expect(checkout.builds()).toBe(1);
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(checkout.dir, 'src', 'a.ts'), later, later);
    await checkout.run([]);
    expect(checkout.builds()).toBe(2);
  });

  it('builds once for two that begin together', async () => {
    const checkout = new Checkout(true);
    const both = await Promise.all([checkout.run(['a b', '--x'], 'typed'), checkout.run(['a b', '--x'], 'typed')]);
    expect(both.map(({ stdout }) => stdout)).toEqual([ECHO, ECHO]);
    expect(checkout.builds()).toBe(1);
  });

  it('takes over from one that was killed while it built', async () => {
    const checkout = new Checkout(true);
    const gone = spawn(process.execPath, ['--version']);
    await new Promise((done) => gone.once('close', done));
    checkout.write('node_modules/.platform-build', String(gone.pid));
    expect((await checkout.run([])).code).toBe(5);
  });

  it('shows what the build said when it failed', async () => {
    const checkout = new Checkout(true);
    const broken = await checkout.run([], '', { BREAK: '1' });
    expect(broken).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('it is broken') });
    expect((await checkout.run([])).code).toBe(5);
  });

  it('runs what an installed package brings, without sources', async () => {
    const installed = new Checkout(false);
    expect(await installed.run(['a b', '--x'], 'typed')).toEqual({ code: 5, stdout: ECHO, stderr: '' });
    expect(installed.builds()).toBe(0);
  });

  it.skipIf(process.platform === 'win32')('passes stdin, exit code and signals on under the Node of npm', async () => {
    const checkout = new Checkout(false);
    checkout.bringNode();
    expect(await checkout.run(['a b', '--x'], 'typed')).toEqual({ code: 5, stdout: ECHO, stderr: '' });
    expect((await checkout.run(['die'])).code).toBe(137);
    const child = checkout.start(['wait']);
    let stdout = '';
    child.stdout?.on('data', (chunk) => {
      stdout += String(chunk);
    });
    await until('the command line', () => stdout.includes('waiting'));
    child.kill('SIGTERM');
    expect(await new Promise((done) => child.once('close', done))).toBe(7);
  });
});
