import { chmod, chown, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '../../../../contract/custom-bot.ts';
import { PlatformError } from '../../../../contract/errors.ts';
import { settlesWithin } from '../../../../node/bounded-wait.ts';
import { readUntrusted } from '../../../../node/read-untrusted.ts';
import { removeTree } from '../../../../node/remove-tree.ts';
import { knownInterpreter, type RuntimeNeeds } from '../../../../runtimes/descriptors.ts';
import { atLeast } from '../../../../runtimes/interpreter-version.ts';
import type { UnitLimits } from '../engine.ts';
import { needsOf } from '../runtime-needs.ts';
import { type Connected, type DockerConnection, refusalOf, waitForEnd } from './connection.ts';
import { hardened, LABELS, limitsOf, RUNTIME_DIR } from './container-create-options.ts';
import { removeContainer } from './container-removals.ts';
import type { ContainerUser } from './facts.ts';

export interface CheckSetting {
  readonly connection: DockerConnection;
  readonly hostId: string;
  readonly runnersDir: string;
  /**
   * A private folder for short-lived files, beside the folders of bots, so that the check fails where the engine cannot
   * see those.
   */
  readonly workDir: string;
  /** Time limit of a check, in ms. */
  readonly checkMs?: number;
}

/** What an image is to run. */
export interface ImageUse {
  readonly runtime: Runtime;
  /** Its name. */
  readonly image: string;
  /** The interpreter that a package names; null for one that the runtime knows, and where only the image is asked for. */
  readonly interpreter: string | null;
}

const CHECK_MS = 60_000;
const LIMITS = { memoryMb: 512, processes: 64, cpus: 1 } as const satisfies UnitLimits;
const MOST_SAID = 64 * 1024;
const PREFIX = '.image-check-';
/** Exit code of image-check.sh where it cannot use the files of a run. */
const CANNOT_READ = 41;

/** Removes the remains of checks of a killed host. Must be called only while no check runs. */
export async function sweepChecks(workDir: string): Promise<void> {
  const left = (await readdir(workDir)).filter((name) => name.startsWith(PREFIX));
  for (const name of left) await removeTree(join(workDir, name));
}

function lacks({ image, runtime, interpreter }: ImageUse, what: string): PlatformError {
  const another =
    interpreter === null
      ? `Name another image in settings.json under images.${runtime}; resources/images shows what one needs.`
      : `An owner of the host names an image that has it: \`platform interpreters allow ${interpreter} --image NAME\`.`;
  return new PlatformError('ENGINE_UNAVAILABLE', `The image ${image} cannot run ${runtime} bots: ${what}.`, {
    hint: `${another} Or deploy on an engine without images (options.engine).`,
  });
}

/** Returns the fault of an image by the output of resources/runners/image-check.sh; null without one. */
export function missingIn(
  { descriptor, least }: RuntimeNeeds,
  output: string,
  named: string | null = null,
): string | null {
  const [, told] = /^shell\n(.*)$/ms.exec(output) ?? [];
  if (told === undefined) return 'it has no /bin/sh, or is made for another processor';
  // The shell knows some names itself, which are no programs.
  if (named !== null) return /^\//m.test(told) ? null : `it has no ${named}`;
  const interpreter = knownInterpreter(descriptor);
  if (interpreter === null) return null;
  const versions = interpreter.read(told, interpreter.program).map(({ version }) => version);
  if (versions.length === 0) return `it has no ${interpreter.program}`;
  if (interpreter.anyVersion === true || versions.some((version) => atLeast(version, least))) return null;
  return `it has ${interpreter.name} ${versions.join(' ')}, and ${least} or later is needed`;
}

/**
 * Runs a small script in an image, under the same restrictions as bots; throws ENGINE_UNAVAILABLE that names what is
 * missing.
 */
export async function checkImage(setting: CheckSetting, imageId: string, use: ImageUse): Promise<void> {
  const needs = needsOf(use.runtime);
  const { user } = (await setting.connection.get()).facts;
  const work = await mkdtemp(join(setting.workDir, PREFIX));
  try {
    await makeFiles(work, user);
    const code = await runCheck(setting, imageId, use, askOf(needs, use.interpreter), work);
    if (code === CANNOT_READ) throw cannotRead(user);
    const said = await readUntrusted(join(work, 'said'), MOST_SAID);
    const missing = missingIn(needs, typeof said === 'string' ? '' : said.text, use.interpreter);
    if (missing !== null) throw lacks(use, missing);
  } finally {
    await removeTree(work);
  }
}

/** Makes files that only the user inside can read, as the files of a run are. */
async function makeFiles(work: string, { uid, gid, handOver }: ContainerUser): Promise<void> {
  const config = join(work, 'config');
  await writeFile(config, '# Read by the check.\n', { mode: 0o400 });
  await chmod(work, 0o700);
  if (!handOver) return;
  for (const path of [config, work]) await chown(path, uid, gid);
}

function cannotRead({ uid }: ContainerUser): PlatformError {
  const text = `The user inside of containers (${uid}) cannot use the files of bots on this machine, though they belong to it.`;
  return new PlatformError('ENGINE_UNAVAILABLE', text, {
    hint: `A share of a virtual machine (Lima, Colima) may give files other owners: use Docker Desktop, or a share that is writable and keeps owners. With SELinux the data folder needs a label (docs/docker.md). Or deploy on an engine without containers (options.engine).`,
    retryAfter: 60,
  });
}

/** Returns the command that prints the version of an interpreter, or where one is that a package names; empty without an interpreter. */
function askOf({ descriptor }: RuntimeNeeds, named: string | null): readonly string[] {
  if (named !== null) return ['command', '-v', named];
  const interpreter = knownInterpreter(descriptor);
  return interpreter === null ? [] : [interpreter.program, ...interpreter.ask];
}

/** Returns the exit code of the script. */
async function runCheck(
  { connection, hostId, runnersDir, checkMs = CHECK_MS }: CheckSetting,
  imageId: string,
  use: ImageUse,
  ask: readonly string[],
  work: string,
): Promise<number> {
  let id: string | null = null;
  try {
    return await connection.last(async (connected) => {
      const { docker, facts } = connected;
      const bind = (Source: string, Target: string, ReadOnly: boolean) => ({
        Type: 'bind' as const,
        Source,
        Target,
        ReadOnly,
      });
      const container = await docker.createContainer({
        Image: imageId,
        Entrypoint: [],
        Cmd: ['/bin/sh', `${RUNTIME_DIR}/runners/image-check.sh`, ...ask],
        User: `${facts.user.uid}:${facts.user.gid}`,
        Labels: { [LABELS.host]: hostId, [LABELS.run]: 'image-check' },
        HostConfig: {
          ...hardened(facts),
          ...limitsOf(LIMITS, facts.limits),
          NetworkMode: 'none',
          Mounts: [bind(runnersDir, `${RUNTIME_DIR}/runners`, true), bind(work, '/run/bot', false)],
        },
      });
      id = container.id;
      await container.start();
      await endsInTime(connected, container.id, use.image, checkMs);
      return (await container.inspect()).State.ExitCode;
    });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    throw explained(use, refusal.message, error);
  } finally {
    if (id !== null) await removeContainer(connection, id);
  }
}

/** Limits the time of the script itself, not of a call: the engine answers, the image does not. */
async function endsInTime(connected: Connected, id: string, image: string, ms: number): Promise<void> {
  const over = new AbortController();
  try {
    if (await settlesWithin(ms, waitForEnd(connected, id, over.signal))) return;
    throw new PlatformError('ENGINE_UNAVAILABLE', `The image ${image} did not answer within ${ms / 1000} s.`, {
      hint: 'This machine may be busy; it is tried again. Else look at its /bin/sh and at the program of its runtime.',
      retryAfter: 60,
    });
  } finally {
    over.abort();
  }
}

function explained(use: ImageUse, message: string, cause: unknown): PlatformError {
  if (/mounts denied|bind source path does not exist|not shared/i.test(message)) {
    return new PlatformError(
      'ENGINE_UNAVAILABLE',
      `The container engine does not see the folders of bots on this machine: ${message}`,
      { hint: 'In Docker Desktop share the data folder (Settings, Resources, File sharing).', cause },
    );
  }
  return lacks(use, `the engine could not start it: ${message.trim()}`);
}
