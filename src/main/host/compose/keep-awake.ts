import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { errorText } from '../../../node/system-error.ts';

/** ES_CONTINUOUS with ES_SYSTEM_REQUIRED, for as long as the thread that sets them lives. */
const WINDOWS_SCRIPT = [
  `$power = Add-Type -PassThru -Namespace BotPlatform -Name Power -MemberDefinition '[DllImport("kernel32.dll")] public static extern uint SetThreadExecutionState(uint flags);'`,
  '[void]$power::SetThreadExecutionState([uint32]2147483649)',
  '[void][Console]::In.ReadToEnd()',
].join('; ');

/** The program that keeps a machine awake until its standard input ends or `pid` has ended; null where none is known. */
export function awakeProgram(platform: NodeJS.Platform, pid: number): readonly [string, ...string[]] | null {
  switch (platform) {
    case 'linux':
      return [
        'systemd-inhibit',
        '--what=idle:sleep',
        '--who=Bot Platform',
        '--why=Bots run here',
        '--mode=block',
        'cat',
      ];
    case 'darwin':
      return ['caffeinate', '-i', '-w', String(pid)];
    case 'win32':
      return ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', WINDOWS_SCRIPT];
    default:
      return null;
  }
}

export interface KeepAwake {
  /** Why the machine may sleep all the same; null while nothing is known. */
  readonly note: string | null;
  stop(): void;
}

/**
 * Keeps the machine from sleeping until `stop` or the end of this process, also a violent one: the program's input ends with
 * it. `lost` is called with the reason when that program ends by itself later.
 */
export async function keepAwake(
  lost: (why: string) => void,
  call: readonly [string, ...string[]] | null = awakeProgram(process.platform, process.pid),
): Promise<KeepAwake> {
  const failed = (why: string): KeepAwake => ({
    note: `The machine may go to sleep although keep-awake is set: ${why}`,
    stop: () => undefined,
  });
  if (call === null) return failed(`nothing is known that prevents it on ${process.platform}`);
  const [program, ...args] = call;
  const child: ChildProcess = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], windowsHide: true });
  const started = Promise.withResolvers<string | null>();
  child.once('spawn', () => started.resolve(null));
  child.once('error', (error) => started.resolve(errorText(error)));
  // Its end breaks the pipe; the exit says so.
  child.stdin?.once('error', () => undefined);
  const problem = await started.promise;
  if (problem !== null) return failed(problem);
  let stopped = false;
  child.once('exit', (code, signal) => {
    if (!stopped) lost(`${program} ended with ${signal ?? code}`);
  });
  child.unref();
  return {
    note: null,
    stop() {
      stopped = true;
      child.kill();
    },
  };
}
