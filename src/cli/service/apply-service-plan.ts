import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { dirname } from 'node:path';
import process from 'node:process';
import { PlatformError } from '../../contract/errors.ts';
import { writeFileAtomic } from '../../node/atomic-write.ts';
import { errorText, systemErrorCode } from '../../node/system-error.ts';
import type { Context } from '../command.ts';
import { hostNode, SERVE_FILE } from '../product-paths.ts';
import { type ProgramCall, type ServicePlan, SYSTEM_DATA_DIR, servicePlan } from './service-plan.ts';

const PATIENCE_MS = 60_000;

/** What a call of a program answered; `code` is null where it could not be started. */
export interface CallResult {
  readonly code: number | null;
  readonly text: string;
}

/** Runs a program to its end. A host that starts as a service gets its environment from the service manager alone. */
export function runCall([program, ...args]: ProgramCall): Promise<CallResult> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: PATIENCE_MS, windowsHide: true }, (error, stdout, stderr) => {
      const text = `${stdout}${stderr}`.trim();
      if (error === null) resolve({ code: 0, text });
      else if (typeof error.code === 'number') resolve({ code: error.code, text });
      else resolve({ code: null, text: text === '' ? errorText(error) : text });
    });
  });
}

/** A call as a person would type it. */
export const callText = (call: ProgramCall): string =>
  call.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');

/** The service of this machine and account. Throws INVALID_REQUEST where there is none. */
export function planHere(
  { dataDir, env }: Pick<Context, 'dataDir' | 'env'>,
  system: boolean,
  flags: readonly string[],
) {
  const { username, uid } = userInfo();
  const program = {
    node: hostNode(),
    serveFile: SERVE_FILE,
    dataDir: system ? SYSTEM_DATA_DIR : dataDir,
    flags,
    path: env.PATH ?? '',
  };
  const { platform } = process;
  const user = platform === 'win32' && env.USERDOMAIN !== undefined ? `${env.USERDOMAIN}\\${username}` : username;
  const place = { platform, home: homedir(), user, uid, configHome: env.XDG_CONFIG_HOME };
  const plan = servicePlan(program, place, system);
  if (plan !== null) return plan;
  throw new PlatformError('INVALID_REQUEST', `There is no such service on ${platform}`, {
    hint: system
      ? 'Leave out --system: the service then belongs to your account.'
      : 'Start the host with `platform start --detach`.',
  });
}

/** The file of a service; null where it is not installed. */
export async function installedFile({ file }: ServicePlan): Promise<string | null> {
  try {
    return await readFile(file.path, file.encoding);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Writes the file of a service, which holds no secret. */
export async function writeServiceFile({ file }: ServicePlan): Promise<void> {
  await mkdir(dirname(file.path), { recursive: true });
  await writeFileAtomic(file.path, Buffer.from(file.text, file.encoding));
}

export const removeServiceFile = ({ file }: ServicePlan): Promise<void> => rm(file.path, { force: true });
