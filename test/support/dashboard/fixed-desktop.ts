import type { DesktopAnswer, DesktopBridge, DesktopSettings } from '../../../src/contract/desktop-bridge.ts';

/** Fixed answers of a desktop app. */
export interface FixedDesktop {
  readonly settings: DesktopSettings;
  readonly problem: DesktopAnswer['problem'];
}

export const FIXED_DESKTOP: FixedDesktop = {
  settings: {
    version: '1.4.0',
    starts_at_login: true,
    notifications: true,
    command: { at: 'there', file: '/home/ann/.local/bin/platform', on_path: true },
    update: { at: 'ready', version: '1.5.0' },
  },
  problem: null,
};

export const TROUBLED_DESKTOP: FixedDesktop = {
  settings: {
    version: '1.4.0',
    starts_at_login: false,
    notifications: false,
    command: { at: 'outdated', file: '/home/ann/.local/bin/platform', on_path: false },
    update: {
      at: 'failed',
      message: 'net::ERR_NAME_NOT_RESOLVED',
      checked_at: '2026-03-02T13:00:00.000Z',
    },
  },
  problem: {
    code: 'INTERNAL',
    message: "EACCES: permission denied, open '/home/ann/.local/bin/.tmp-4711-1'",
    hint: 'Nothing was changed. File, Show the log files has more.',
  },
};

/** Makes a page one of the desktop app; run in the page. */
export function putDesktop(answers: FixedDesktop): void {
  const bridge: DesktopBridge = {
    chooseFolder: () => Promise.resolve(null),
    host: () => Promise.resolve({ at: 'running', own: true, pid: 1 }),
    onHost: () => () => undefined,
    startHost: () => Promise.resolve(),
    settings: () => Promise.resolve(answers.settings),
    change: () => Promise.resolve(answers),
    onSettings: () => () => undefined,
  };
  Object.assign(globalThis, { desktop: bridge });
}
