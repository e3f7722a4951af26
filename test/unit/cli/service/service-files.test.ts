import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { launchdPlist, scheduledTaskXml, systemdUnit } from '../../../../src/cli/service/service-files.ts';
import { tempDir } from '../../../support/temp.ts';

const PROGRAM = {
  node: process.execPath,
  serveFile: '/opt/bot platform/out/main/serve.js',
  dataDir: '/home/ada/50% "mine" $HOME & <more>',
  flags: ['--port', '4747'],
  path: '/usr/local/bin:/usr/bin:/bin',
};

/** Splits a command of a unit as systemd.service(5) and systemd.syntax(7) say, for quoted words. */
function systemdWords(command: string): string[] {
  return [...command.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) =>
    word.replace(/\\(.)/g, '$1').replaceAll('%%', '%').replaceAll('$$', '$'),
  );
}

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
const hasPython = spawnSync('python3', ['-c', 'import plistlib']).status === 0;

describe('the unit of systemd', () => {
  const lines = systemdUnit(PROGRAM, null).split('\n');
  const value = (key: string) => lines.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1);

  it('starts the host with these words, whatever a path holds', () => {
    expect(systemdWords(value('ExecStart') ?? '')).toEqual([
      PROGRAM.node,
      PROGRAM.serveFile,
      '--data',
      PROGRAM.dataDir,
      '--port',
      '4747',
    ]);
    expect(systemdWords(value('Environment') ?? '')).toEqual([`PATH=${PROGRAM.path}`]);
  });

  it('lets bots outlive a host that crashes, and starts that again', () => {
    expect([value('KillMode'), value('Restart'), value('OOMPolicy')]).toEqual(['process', 'on-failure', 'continue']);
    expect([value('User'), value('WantedBy')]).toEqual([undefined, 'default.target']);
  });

  it('of the system runs under an account of its own', () => {
    expect(systemdUnit(PROGRAM, 'bot-platform')).toMatch(
      /^User=bot-platform\nStateDirectory=bot-platform\n[\s\S]*^WantedBy=multi-user\.target$/m,
    );
  });

  it.skipIf(!hasSystemd)('is one in which systemd finds nothing wrong', () => {
    for (const account of [null, 'daemon']) {
      const file = join(tempDir('unit-'), 'bot-platform.service');
      writeFileSync(file, systemdUnit(PROGRAM, account));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
      const about = stderr.split('\n').filter((line) => line.includes('bot-platform'));
      expect([status, about]).toEqual([0, []]);
    }
  });
});

describe('the job of launchd', () => {
  it.skipIf(!hasPython)('is a property list that starts the host with these words', () => {
    const file = join(tempDir('plist-'), 'job.plist');
    writeFileSync(file, launchdPlist(PROGRAM));
    const read = 'import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], "rb"))))';
    expect(JSON.parse(execFileSync('python3', ['-c', read, file], { encoding: 'utf8' }))).toMatchObject({
      Label: 'dev.bot-platform.host',
      ProgramArguments: [PROGRAM.node, PROGRAM.serveFile, '--data', PROGRAM.dataDir, '--port', '4747'],
      EnvironmentVariables: { PATH: PROGRAM.path },
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      AbandonProcessGroup: true,
      Umask: 0o077,
    });
  });
});

describe('the task of the Windows Task Scheduler', () => {
  const program = { ...PROGRAM, node: 'C:\\Node & more\\node.exe', dataDir: 'C:\\Users\\Ada "A"\\data\\' };
  const text = scheduledTaskXml(program, 'PC\\Ada <a>');
  const element = (name: string) =>
    (new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? '')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');

  it('starts the host at boot, without a stored password, and never ends it for its age', () => {
    expect(text).toContain('<BootTrigger>');
    expect([element('LogonType'), element('ExecutionTimeLimit'), element('DisallowStartIfOnBatteries')]).toEqual([
      'S4U',
      'PT0S',
      'false',
    ]);
    expect([element('UserId'), element('Command')]).toEqual(['PC\\Ada <a>', program.node]);
  });

  it('quotes its words as the C runtime of Windows splits them', () => {
    expect(element('Arguments')).toBe(
      '"/opt/bot platform/out/main/serve.js" "--data" "C:\\Users\\Ada \\"A\\"\\data\\\\" "--port" "4747"',
    );
  });
});
