import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { autostartFile } from '../../isomorphic/autostart-file.ts';
import { type Check, subject } from '../check.ts';
import { windowObstacle } from '../electron-binary.ts';
import { hostNode, PACKAGE_DIR } from '../resources.ts';
import { says } from './run-program.ts';

const OLDEST_NODE = 24;
/** Nothing of this product is older: a clock that shows less was never set. 2025-01-01. */
const OLDEST_MS = Date.UTC(2025, 0, 1);

const node = subject('node', 'Node', 'It runs the host and the bots that are written for it.');
const clock = subject('clock', 'Clock', 'Schedules, keys that end, and the times of all lines follow it.');
const zone = subject('time_zone', 'Time zone', 'Schedules are in UTC; it only says how local times are shown.');
const python = subject('python', 'Python', 'Bots written in Python run with it where they run as local processes.');
const compiler = subject('compiler', 'C++ compiler', 'Only building C++ bots here needs it; running them does not.');
const java = subject('java', 'Java', 'Bots for the JVM run with it where they run as local processes.');
const desktop = subject('desktop', 'Window', 'The desktop app shows the dashboard in it; a browser does as well.');
const autostart = subject(
  'autostart',
  'Start at log-in',
  'Without it, bots wait after a restart until somebody starts the app.',
);

/** Checks the Node that a host would run on. */
export async function checkNode(program = hostNode()): Promise<Check> {
  const version = await says(program, '--version');
  const major = Number(/^v(\d+)/.exec(version ?? '')?.[1] ?? 0);
  if (major >= OLDEST_NODE) return node.ok(`${version} runs the host`);
  return node.fault(`${version ?? 'none'} is too old for the host`, 'Run `npm ci` in the product: it brings Node 24.');
}

/** Checks the time, against the newest file of the host (`future`, ms) and what the system says of its clock. */
export async function checkClock(future: number | null, now: number): Promise<Check> {
  const hint = 'Set the clock, and let the system keep it right (NTP).';
  if (now < OLDEST_MS) return clock.fault(`it shows ${new Date(now).toISOString()}`, hint);
  if (future !== null) {
    const text = `files of the host are from ${new Date(future).toISOString()}, which is ahead of now`;
    return clock.fault(`${text}: the clock was set back`, hint);
  }
  const synchronized = process.platform === 'linux' ? await says('timedatectl', 'show', '-P', 'NTPSynchronized') : null;
  const text = new Date(now).toISOString();
  return synchronized === 'no' ? clock.note(`${text}, but nothing keeps it right`, hint) : clock.ok(text);
}

/** Checks the zone that TZ names, else the system's. */
export function checkTimeZone(env: NodeJS.ProcessEnv): Check {
  const set = env.TZ ?? '';
  try {
    const { timeZone } = new Intl.DateTimeFormat(
      'en',
      set === '' ? {} : { timeZone: set.replace(/^:/, '') },
    ).resolvedOptions();
    return zone.ok(timeZone);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return zone.note(
      `TZ is "${set}", which is no zone: local times are shown in UTC`,
      'Set TZ to one such as Europe/Berlin, or unset it.',
    );
  }
}

export async function checkPython(): Promise<Check> {
  const version = await says(process.platform === 'win32' ? 'python' : 'python3', '--version');
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  const fits = Number(major) === 3 && Number(minor) >= 11;
  return fits ? python.ok(version ?? '') : python.spare(version ?? 'none', 'Python bots need Python 3.11 or later.');
}

export async function checkCompiler(): Promise<Check> {
  const version = await says('c++', '--version');
  if (version === null) return compiler.spare('none', 'Building C++ bots needs g++, make and nlohmann-json3-dev.');
  return (await says('make', '--version')) === null
    ? compiler.spare(`${version}, but no make`, 'The examples are built with make.')
    : compiler.ok(version);
}

export async function checkJava(): Promise<Check> {
  const version = await says('java', '-version');
  return version === null ? java.spare('none', 'Bots for the JVM need Java 17 or later.') : java.ok(version);
}

/** Whether the desktop app can open its window here. Nothing is fetched to find out. */
export function checkDesktop(env: NodeJS.ProcessEnv): Check {
  const obstacle = windowObstacle({ env, platform: process.platform, uid: process.getuid?.() });
  if (obstacle !== null)
    return desktop.spare(`none: ${obstacle}`, 'The dashboard opens in a browser: `platform open`.');
  const binary = existsSync(join(PACKAGE_DIR, 'node_modules', 'electron', 'path.txt'));
  return binary
    ? desktop.ok('Electron is here')
    : desktop.spare('Electron is not here yet', '`platform start` fetches it.');
}

/**
 * The program that an Exec line starts: its first word. Escapes of the file stand around those of the word (Desktop Entry
 * rules, "Exec key").
 */
function programOf(entry: string): string | null {
  const line = /^Exec=(.*)$/m.exec(entry)?.[1]?.replaceAll('\\\\', '\\') ?? '';
  const [, quoted, plain] = /^(?:"((?:[^"\\]|\\.)*)"|(\S+))/.exec(line) ?? [];
  const word = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
  return word?.replaceAll('%%', '%') ?? null;
}

/** Whether what starts with the session is still there; nothing to tell where the system keeps that elsewhere. */
export function checkAutostart(env: NodeJS.ProcessEnv, home = homedir()): Check[] {
  if (process.platform !== 'linux') return [];
  const file = autostartFile(env, home);
  if (!existsSync(file)) return [autostart.spare('off', 'It is switched on in the settings of the desktop app.')];
  const program = programOf(readFileSync(file, 'utf8'));
  if (program !== null && statSync(program, { throwIfNoEntry: false })?.isFile() === true)
    return [autostart.ok(program)];
  const text = program === null ? `${file} starts nothing` : `${file} starts ${program}, which is not there`;
  return [autostart.note(text, 'Switch it off and on again in the settings of the desktop app, or remove the file.')];
}
