import { describe, expect, it } from 'vitest';
import { type ServicePlace, servicePlan } from '../../../../src/cli/service/service-plan.ts';

const PROGRAM = { node: '/n/node', serveFile: '/p/serve.js', dataDir: '/home/ada/data', flags: [], path: '/bin' };
const place = (platform: NodeJS.Platform, configHome?: string): ServicePlace => ({
  platform,
  home: '/home/ada',
  user: 'ada',
  uid: 1000,
  configHome,
});

describe('the service of a machine', () => {
  it('is a unit of the user on Linux, with linger', () => {
    const plan = servicePlan(PROGRAM, place('linux'), false);
    expect(plan?.file.path).toBe('/home/ada/.config/systemd/user/bot-platform.service');
    expect(plan?.install.at(-1)).toEqual(['systemctl', '--user', 'enable', '--now', 'bot-platform.service']);
    expect(plan?.extra?.call).toEqual(['loginctl', 'enable-linger', 'ada']);
    expect(servicePlan(PROGRAM, place('linux', '/cfg'), false)?.file.path).toBe(
      '/cfg/systemd/user/bot-platform.service',
    );
    expect(servicePlan(PROGRAM, place('linux', 'not/absolute'), false)?.file.path).toBe(plan?.file.path);
  });

  it('is a unit of the system with --system, under its own account', () => {
    const plan = servicePlan(PROGRAM, place('linux'), true);
    expect(plan?.file.path).toBe('/etc/systemd/system/bot-platform.service');
    expect(plan?.prepare[0]?.[0]).toBe('useradd');
    expect(plan?.file.text).toContain('User=bot-platform');
    expect(JSON.stringify([plan?.install, plan?.remove])).not.toContain('--user');
  });

  it('is a job of launchd on macOS and a task on Windows, both for the account alone', () => {
    expect(servicePlan(PROGRAM, place('darwin'), false)).toMatchObject({
      file: { path: '/home/ada/Library/LaunchAgents/dev.bot-platform.host.plist' },
      remove: [['launchctl', 'bootout', 'gui/1000/dev.bot-platform.host']],
    });
    const task = servicePlan({ ...PROGRAM, dataDir: 'C:\\data' }, place('win32'), false);
    expect(task?.file).toMatchObject({ path: 'C:\\data\\service-task.xml', encoding: 'utf16le' });
    expect(task?.file.text.startsWith('\ufeff<?xml version="1.0" encoding="UTF-16"?>')).toBe(true);
    for (const platform of ['darwin', 'win32', 'freebsd'] as const) {
      expect(servicePlan(PROGRAM, place(platform), true)).toBeNull();
    }
    expect(servicePlan(PROGRAM, place('freebsd'), false)).toBeNull();
  });
});
