/** How the host is started by a service manager. All paths are absolute. */
export interface ServiceProgram {
  readonly node: string;
  readonly serveFile: string;
  readonly dataDir: string;
  /** Further flags of the host; never a secret. */
  readonly flags: readonly string[];
  /** Where interpreters of bots are found, as in the shell that installs the service. */
  readonly path: string;
}

const NAME = 'Bot Platform';

const argumentsOf = ({ serveFile, dataDir, flags }: ServiceProgram): string[] => [
  serveFile,
  '--data',
  dataDir,
  ...flags,
];

/** A word of a unit file: quoted, so that blanks, `%` and `$` of a path stand for themselves (systemd.syntax, systemd.service). */
function systemdWord(text: string, isCommand: boolean): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
  return `"${isCommand ? escaped.replaceAll('$', '$$$$') : escaped}"`;
}

/**
 * The unit of systemd. `account`: a unit of the system that runs as this account; null: one of the user who installs it.
 * systemd may end the host alone (`KillMode=process`): bots outlive a host that crashes, and the next host takes them over.
 */
export function systemdUnit(program: ServiceProgram, account: string | null): string {
  const command = [program.node, ...argumentsOf(program)].map((word) => systemdWord(word, true)).join(' ');
  const lines = [
    '[Unit]',
    `Description=${NAME} host`,
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${command}`,
    `Environment=${systemdWord(`PATH=${program.path}`, false)}`,
    ...(account === null ? [] : [`User=${account}`, 'StateDirectory=bot-platform', 'StateDirectoryMode=0700']),
    'UMask=0077',
    'Restart=on-failure',
    'RestartSec=2',
    '# Bots are programs of their own: a host that crashes leaves them running, and the next one takes them over.',
    'KillMode=process',
    'OOMPolicy=continue',
    'TimeoutStopSec=60',
    '',
    '[Install]',
    `WantedBy=${account === null ? 'default.target' : 'multi-user.target'}`,
  ];
  return `${lines.join('\n')}\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const xml = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one);

export const LAUNCHD_LABEL = 'dev.bot-platform.host';

/** The job of launchd: an agent of the user. It starts at log-in, and again after a crash. */
export function launchdPlist(program: ServiceProgram): string {
  const words = [program.node, ...argumentsOf(program)].map((word) => `    <string>${xml(word)}</string>`);
  const log = `${program.dataDir}/serve.log`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LAUNCHD_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>${xml(program.path)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>ProcessType</key>
  <string>Interactive</string>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardOutPath</key>
  <string>${xml(log)}</string>
  <key>StandardErrorPath</key>
  <string>${xml(log)}</string>
</dict>
</plist>
`;
}

/**
 * A word of a Windows command line, as programs of Microsoft's C runtime split it: quoted, backslashes doubled before a
 * quote.
 */
function windowsWord(text: string): string {
  return `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}

/**
 * The task of the Windows Task Scheduler: starts at boot as the user who installs it, without a stored password (S4U), is
 * never ended for running long, and starts again after a failure.
 */
export function scheduledTaskXml(program: ServiceProgram, user: string): string {
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>${NAME} host</Description>
  </RegistrationInfo>
  <Triggers>
    <BootTrigger>
      <Enabled>true</Enabled>
    </BootTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${xml(user)}</UserId>
      <LogonType>S4U</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>255</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${xml(program.node)}</Command>
      <Arguments>${xml(argumentsOf(program).map(windowsWord).join(' '))}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
}
