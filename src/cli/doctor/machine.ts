import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { OLDEST_NODE } from '../../node/bundled-node.ts';
import { DESCRIPTORS } from '../../runtimes/all.ts';
import { atLeast, programName } from '../../runtimes/interpreter-version.ts';
import type { DoctorCheck } from '../../runtimes/runtime.ts';
import { autostartFile } from '../../shared/autostart-file.ts';
import { type Check, subject } from '../check-result.ts';
import { windowObstacle } from '../electron-binary.ts';
import { hostNode, PACKAGE_DIR } from '../product-paths.ts';
import { firstOutputLine } from './first-output-line.ts';

/** No part of this product is older: a clock that shows less was never set. 2025-01-01. */
const OLDEST_MS = Date.UTC(2025, 0, 1);

const node = subject('node', 'Node', 'It runs the host and the bots that are written for it.');
const clock = subject('clock', 'Clock', 'Schedules, keys that end, and the times of all lines follow it.');
const zone = subject('time_zone', 'Time zone', 'Schedules are in UTC; it only says how local times are shown.');
const desktop = subject('desktop', 'Window', 'The desktop app shows the dashboard in it; a browser does as well.');
const autostart = subject(
  'autostart',
  'Start at log-in',
  'Without it, bots wait after a restart until you start the app.',
);

/** Checks the Node that a host would run on. */
export async function checkNode(program = hostNode()): Promise<Check> {
  const version = await firstOutputLine(program, '--version');
  const major = Number(/^v(\d+)/.exec(version ?? '')?.[1] ?? 0);
  if (major >= OLDEST_NODE) return node.ok(`${version} runs the host`);
  return node.fault(
    `${version ?? 'none'} is too old for the host`,
    `Run \`npm ci\` in the product: it brings Node ${OLDEST_NODE}.`,
  );
}

/** Checks the time, against the newest file of the host (`future`, ms) and the system's own account of its clock. */
export async function checkClock(future: number | null, now: number): Promise<Check> {
  const hint = 'Set the clock, and let the system keep it right (NTP).';
  if (now < OLDEST_MS) return clock.fault(`it shows ${new Date(now).toISOString()}`, hint);
  if (future !== null) {
    const text = `files of the host are from ${new Date(future).toISOString()}, which is ahead of now`;
    return clock.fault(`${text}: the clock was set back`, hint);
  }
  const synchronized =
    process.platform === 'linux' ? await firstOutputLine('timedatectl', 'show', '-P', 'NTPSynchronized') : null;
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
      `TZ is "${set}", which is not a time zone: local times are shown in UTC`,
      'Set TZ to one such as Europe/Berlin, or unset it.',
    );
  }
}

/** Checks a program that bots of a family of runtimes need: nothing fails without it. */
async function checkProgram(check: DoctorCheck): Promise<Check> {
  const { id, name, why, args, least, advice, also } = check;
  const about = subject(id, name, why);
  const version = await firstOutputLine(programName(check, process.platform), ...args);
  if (version === null) return about.spare('none', advice);
  const [number = '0'] = /\d+\.\d+/.exec(version) ?? [];
  if (least !== undefined && !atLeast(number, least)) return about.spare(version, advice);
  if (also === undefined || (await firstOutputLine(also.program, ...also.args)) !== null) return about.ok(version);
  return about.spare(`${version}, but no ${also.program}`, also.advice);
}

/** Checks the programs that run and build bots here, by family of runtimes. */
export function checkRuntimes(): Promise<Check[]> {
  return Promise.all(DESCRIPTORS.flatMap(({ doctor }) => (doctor === undefined ? [] : [checkProgram(doctor)])));
}

/** Checks whether the desktop app can open its window here. Fetches nothing to find out. */
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
 * Returns the program that an Exec line starts: its first word. Escapes of the file stand around those of the word (Desktop Entry
 * rules, "Exec key").
 */
function programOf(entry: string): string | null {
  const line = /^Exec=(.*)$/m.exec(entry)?.[1]?.replaceAll('\\\\', '\\') ?? '';
  const [, quoted, plain] = /^(?:"((?:[^"\\]|\\.)*)"|(\S+))/.exec(line) ?? [];
  const word = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
  return word?.replaceAll('%%', '%') ?? null;
}

/** Checks that the program of the autostart entry still exists. Only on Linux: other systems keep the entry elsewhere. */
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
