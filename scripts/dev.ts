// `npm run dev`: the dashboard with hot reload, in the desktop app where Electron can be had, else for a browser. It
// uses its own data folder, so that unfinished code never touches a person's bots.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import process from 'node:process';
import { createServer } from 'vite';
import config, { DEV_HOST_PORT } from '../electron.vite.config.ts';
import { createClient } from '../src/cli/client.ts';
import { readDiscovery } from '../src/cli/discovery.ts';
import { findElectron, windowObstacle } from '../src/cli/electron-binary.ts';
import { startHost } from '../src/cli/start-host-on-folder.ts';

const ROOT = resolve(import.meta.dirname, '..');
const dataDir = process.env.PLATFORM_DATA_DIR ?? resolve(ROOT, '.cache', 'dev-data');
const env = { ...process.env, PLATFORM_DATA_DIR: dataDir, PLATFORM_PORT: String(DEV_HOST_PORT) };
const electronVite = resolve(ROOT, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function run(args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(process.execPath, [electronVite, ...args], {
    cwd: ROOT,
    env: { ...env, ...more },
    stdio: 'inherit',
  });
  return new Promise((done) => child.once('close', (code) => done(code ?? 1)));
}

async function inBrowser(why: string): Promise<void> {
  say(`No window: ${why}. The dashboard is served for a browser.`);
  if ((await run(['build', '--logLevel', 'warn'])) !== 0) throw new Error('The build failed.');
  const host = await startHost({ dataDir, env, flags: [], background: false });
  const server = await createServer({ ...config.renderer, configFile: false });
  await server.listen();
  const page = server.resolvedUrls?.local[0] ?? '';
  const client = createClient({ url: host.url, credential: readDiscovery(dataDir)?.token ?? null });
  const { hash } = new URL((await client.call('auth.link', {})).url);
  say(`Host ${host.url}, data ${dataDir}`);
  say(`Page ${new URL(hash, page).href}`);
  const stop = (): void => host.stop();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  process.exitCode = (await host.exited).code === 0 ? 0 : 1;
  await server.close();
}

const obstacle = windowObstacle({ env: process.env, platform: process.platform, uid: process.getuid?.() });
const electron = obstacle === null ? await findElectron(process.env, say) : { why: obstacle };
if ('why' in electron) await inBrowser(electron.why);
else {
  say('Changes of the dashboard show at once; for those of the main process start this again.');
  process.exitCode = await run(['dev'], { ELECTRON_EXEC_PATH: electron.program });
}
