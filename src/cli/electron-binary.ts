import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { PACKAGE_DIR } from './product-paths.ts';

/** The Electron binary, or the reason why there is none, as the end of a sentence that begins with "No window:". */
export type ElectronBinary =
  /** `args` lead the binary to the app; empty for the installed app itself. */
  { readonly program: string; readonly args: readonly string[] } | { readonly why: string };

export interface WindowPlace {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** User id; undefined on systems without one. */
  readonly uid: number | undefined;
}

const FETCH_MS = 180_000;
const PROBE_MS = 20_000;
/** A machine that could not fetch the binary tries again after this time, so that its starts do not wait each time. */
const AGAIN_MS = 86_400_000;

/** Returns the reason why no window can be shown here at all; null where one can. Fetches and starts nothing to find out. */
export function windowObstacle({ env, platform, uid }: WindowPlace): string | null {
  if (platform !== 'linux') return null;
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return 'there is no display here (DISPLAY and WAYLAND_DISPLAY are not set)';
  // Chromium's sandbox confines pages and is never switched off for convenience.
  return uid === 0 ? 'a window is not opened for root, where Chromium has no sandbox' : null;
}

/** The program of the installed app that this command line came with; null elsewhere. */
function installedApp(platform: NodeJS.Platform): string | null {
  if (basename(PACKAGE_DIR) !== 'app.asar.unpacked') return null;
  const names: Partial<Record<NodeJS.Platform, string>> = { darwin: 'MacOS/Bot Platform', win32: 'Bot Platform.exe' };
  const program = resolve(PACKAGE_DIR, '..', '..', names[platform] ?? 'bot-platform');
  return existsSync(program) ? program : null;
}

/** The binary of the package `electron`, read from its own files, because asking the package would download it. */
function binaryIn(dir: string): string | null {
  const file = join(dir, 'path.txt');
  if (!existsSync(file)) return null;
  const program = join(dir, 'dist', readFileSync(file, 'utf8').trim());
  return existsSync(program) ? program : null;
}

/** Fetches the binary with the package's own script; resolves to null on success, else to the reason of the failure. */
function fetchBinary(dir: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(dir, 'install.js')], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    // A mirror that answers nothing would delay the start without end.
    const timer = setTimeout(() => {
      said = 'it took too long';
      child.kill('SIGKILL');
    }, FETCH_MS);
    child.once('error', (error) => {
      said = error.message;
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      const first = said.split('\n').find((line) => line.trim() !== '');
      resolve(code === 0 ? null : (first?.trim() ?? `exit code ${code}`));
    });
  });
}

/** Returns the reason why a binary does not start, such as a missing library of the system; null if it does. */
function brokenWhy(program: string): string | null {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const { status, stderr, error } = spawnSync(program, ['--version'], { timeout: PROBE_MS, encoding: 'utf8', env });
  if (status === 0) return null;
  const first = (stderr ?? '').split('\n').find((line) => line.trim() !== '');
  return (first ?? error?.message ?? `exit code ${status}`).trim();
}

/**
 * The Electron binary of this installation; fetched once if possible. `say` gets a message before a long step begins.
 * ELECTRON_OVERRIDE_DIST_PATH names the folder of another one, as for the package itself.
 */
export async function findElectron(
  env: NodeJS.ProcessEnv,
  say: (text: string) => void,
  dir = join(PACKAGE_DIR, 'node_modules', 'electron'),
): Promise<ElectronBinary> {
  const installed = installedApp(process.platform);
  if (installed !== null) return { program: installed, args: [] };
  const elsewhere = env.ELECTRON_OVERRIDE_DIST_PATH;
  const file = process.platform === 'win32' ? 'electron.exe' : 'electron';
  const named = elsewhere === undefined || elsewhere === '' ? binaryIn(dir) : join(elsewhere, file);
  const program = named ?? (await fetched(dir, say));
  if (typeof program !== 'string') return program;
  const broken = brokenWhy(program);
  return broken === null ? { program, args: [PACKAGE_DIR] } : { why: `Electron does not start here (${broken})` };
}

async function fetched(dir: string, say: (text: string) => void): Promise<string | { readonly why: string }> {
  if (!existsSync(join(dir, 'install.js'))) return { why: 'Electron is not part of this installation' };
  const mark = join(dirname(dir), '.platform-electron');
  const failed = statSync(mark, { throwIfNoEntry: false });
  if (failed !== undefined && Date.now() - failed.mtimeMs < AGAIN_MS) {
    return {
      why: `Electron could not be fetched (${readFileSync(mark, 'utf8')}); \`npx install-electron\` tries again`,
    };
  }
  say('Fetching Electron for the window, once…');
  const why = await fetchBinary(dir);
  const program = binaryIn(dir);
  if (why === null && program !== null) {
    rmSync(mark, { force: true });
    return program;
  }
  const short = why ?? 'its files are not complete';
  writeFileSync(mark, short);
  return { why: `Electron could not be fetched (${short})` };
}
