import { join, win32 } from 'node:path';
import { LAUNCHD_LABEL, launchdPlist, type ServiceProgram, scheduledTaskXml, systemdUnit } from './service-files.ts';

/** A program to run, with its arguments. */
export type ProgramCall = readonly [string, ...string[]];

/** What a service consists of, and what makes, shows and removes it. Nothing here touches the machine. */
export interface ServicePlan {
  /** What keeps the host running, in words. */
  readonly manager: string;
  readonly file: { readonly path: string; readonly text: string; readonly encoding: 'utf8' | 'utf16le' };
  /** Before the file is written. */
  readonly prepare: readonly ProgramCall[];
  readonly install: readonly ProgramCall[];
  /** Without which the service works, but less; `otherwise` says how. */
  readonly extra: { readonly call: ProgramCall; readonly otherwise: string } | null;
  readonly remove: readonly ProgramCall[];
  /** After the file is removed. */
  readonly forget: readonly ProgramCall[];
  /** Exits with 0 while the service runs. */
  readonly status: ProgramCall;
  /** When the host starts, and what stays after a removal. */
  readonly starts: string;
  readonly stays: string | null;
}

/** The machine and account that a service is made for. */
export interface ServicePlace {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly user: string;
  readonly uid: number;
  readonly configHome: string | undefined;
}

export const UNIT = 'bot-platform.service';
export const ACCOUNT = 'bot-platform';
/** Data folder of a service of the system; systemd makes it. */
export const SYSTEM_DATA_DIR = '/var/lib/bot-platform';
const TASK = 'Bot Platform';

function userUnit(program: ServiceProgram, { home, user, configHome }: ServicePlace): ServicePlan {
  const config = configHome?.startsWith('/') === true ? configHome : join(home, '.config');
  return {
    manager: 'systemd, as a unit of your account',
    file: { path: join(config, 'systemd/user', UNIT), text: systemdUnit(program, null), encoding: 'utf8' },
    prepare: [],
    install: [
      ['systemctl', '--user', 'daemon-reload'],
      ['systemctl', '--user', 'enable', '--now', UNIT],
    ],
    extra: {
      call: ['loginctl', 'enable-linger', user],
      otherwise: 'the host starts when you log in and ends when you log out, instead of with the machine',
    },
    remove: [['systemctl', '--user', 'disable', '--now', UNIT]],
    forget: [['systemctl', '--user', 'daemon-reload']],
    status: ['systemctl', '--user', 'is-active', UNIT],
    starts: 'with the machine, also while nobody is logged in (linger)',
    stays: `Your account still lingers, as other services of yours may need it: loginctl disable-linger ${user}`,
  };
}

function systemUnit(program: ServiceProgram): ServicePlan {
  return {
    manager: `systemd, as a unit of the system under the account ${ACCOUNT}`,
    file: { path: `/etc/systemd/system/${UNIT}`, text: systemdUnit(program, ACCOUNT), encoding: 'utf8' },
    prepare: [
      ['useradd', '--system', '--user-group', '--home-dir', SYSTEM_DATA_DIR, '--shell', '/usr/sbin/nologin', ACCOUNT],
    ],
    install: [
      ['systemctl', 'daemon-reload'],
      ['systemctl', 'enable', '--now', UNIT],
    ],
    extra: null,
    remove: [['systemctl', 'disable', '--now', UNIT]],
    forget: [['systemctl', 'daemon-reload']],
    status: ['systemctl', 'is-active', UNIT],
    starts: 'with the machine',
    stays: `The account ${ACCOUNT} and its data in ${SYSTEM_DATA_DIR} stay: userdel ${ACCOUNT} removes the account`,
  };
}

function launchdAgent(program: ServiceProgram, { home, uid }: ServicePlace): ServicePlan {
  const path = join(home, 'Library/LaunchAgents', `${LAUNCHD_LABEL}.plist`);
  return {
    manager: 'launchd, as an agent of your account',
    file: { path, text: launchdPlist(program), encoding: 'utf8' },
    prepare: [],
    install: [['launchctl', 'bootstrap', `gui/${uid}`, path]],
    extra: null,
    remove: [['launchctl', 'bootout', `gui/${uid}/${LAUNCHD_LABEL}`]],
    forget: [],
    status: ['launchctl', 'print', `gui/${uid}/${LAUNCHD_LABEL}`],
    starts: 'when you log in',
    stays: null,
  };
}

function windowsTask(program: ServiceProgram, { user }: ServicePlace): ServicePlan {
  const path = win32.join(program.dataDir, 'service-task.xml');
  return {
    manager: 'the Windows Task Scheduler',
    file: { path, text: `\ufeff${scheduledTaskXml(program, user)}`, encoding: 'utf16le' },
    prepare: [],
    install: [
      ['schtasks', '/Create', '/TN', TASK, '/XML', path, '/F'],
      ['schtasks', '/Run', '/TN', TASK],
    ],
    extra: null,
    remove: [
      ['schtasks', '/End', '/TN', TASK],
      ['schtasks', '/Delete', '/TN', TASK, '/F'],
    ],
    forget: [],
    status: ['schtasks', '/Query', '/TN', TASK],
    starts: 'with the machine, also while nobody is logged in',
    stays: null,
  };
}

/** The service of this platform; null where the product knows none. `system`: under an account of its own, on Linux alone. */
export function servicePlan(program: ServiceProgram, place: ServicePlace, system: boolean): ServicePlan | null {
  if (place.platform === 'linux') return system ? systemUnit(program) : userUnit(program, place);
  if (system) return null;
  if (place.platform === 'darwin') return launchdAgent(program, place);
  return place.platform === 'win32' ? windowsTask(program, place) : null;
}
