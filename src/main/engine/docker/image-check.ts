import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PlatformError } from '../../../contract/errors.ts';
import { type Needs, needsOf } from '../command-line.ts';
import { type DockerConnection, refusalOf, waitForEnd } from './connection.ts';
import { hardened, LABELS, RUNTIME_DIR } from './container.ts';
import { removeContainer } from './docker-unit.ts';

export interface CheckSetting {
  readonly connection: DockerConnection;
  readonly hostId: string;
  readonly runnersDir: string;
  /** A private folder for short-lived files; made where bots' folders lie, so that the engine must see both. */
  readonly workDir: string;
}

const CHECK_TIMEOUT_MS = 60_000;

function lacks(image: string, runtime: string, what: string): PlatformError {
  return new PlatformError('ENGINE_UNAVAILABLE', `The image ${image} cannot run ${runtime} bots: ${what}.`, {
    hint: `Name another image in settings.json under images.${runtime}; resources/images shows what one needs. Or deploy with options.engine "process".`,
  });
}

const atLeast = (version: string, major: number, minor: number): boolean => {
  const [a = 0, b = 0] = version.split('.').map(Number);
  return a > major || (a === major && b >= minor);
};

/** What is missing in an image, judged by what resources/runners/image-check.sh said in it; null when nothing is. */
export function missingIn(needs: Needs, said: string): string | null {
  if (!/^shell$/m.test(said)) return 'it has no /bin/sh, or is made for another processor';
  const found = /^found (.*)$/m.exec(said)?.[1]?.trim() ?? '';
  switch (needs.kind) {
    case 'none':
      return null;
    case 'python':
      if (found === '') return 'it has no python3';
      return atLeast(found, 3, needs.minor) ? null : `it has Python ${found}, and 3.${needs.minor} or later is needed`;
    case 'node':
      if (found === '') return 'it has no node';
      return atLeast(found, needs.major, 0) ? null : `it has Node ${found}, and ${needs.major} or later is needed`;
    case 'java':
      return found === '' ? 'it has no java' : null;
    case 'dotnet': {
      if (found === '') return 'it has no dotnet';
      const enough = found.split(' ').some((version) => atLeast(version, needs.major, 0));
      return enough ? null : `it has .NET ${found}, and ${needs.major} or later is needed`;
    }
  }
}

/** Runs a small script in an image, under the same rules as bots, and throws ENGINE_UNAVAILABLE with what it lacks. */
export async function checkImage(
  setting: CheckSetting,
  imageId: string,
  runtime: string,
  image: string,
): Promise<void> {
  const needs = needsOf(runtime);
  const work = await mkdtemp(join(setting.workDir, '.image-check-'));
  try {
    // Whoever runs inside may write here; the folder above is closed to all others.
    await chmod(work, 0o777);
    await runCheck(setting, { id: imageId, name: image }, runtime, needs.kind, work);
    const said = await readFile(join(work, 'said'), 'utf8').catch(() => '');
    const missing = missingIn(needs, said);
    if (missing !== null) throw lacks(image, runtime, missing);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function runCheck(
  { connection, hostId, runnersDir }: CheckSetting,
  image: { readonly id: string; readonly name: string },
  runtime: string,
  kind: Needs['kind'],
  work: string,
): Promise<void> {
  let id: string | null = null;
  try {
    await connection.call(async (connected) => {
      const { docker, facts } = connected;
      const bind = (Source: string, Target: string, ReadOnly: boolean) => ({
        Type: 'bind' as const,
        Source,
        Target,
        ReadOnly,
      });
      const container = await docker.createContainer({
        Image: image.id,
        Entrypoint: [],
        Cmd: ['/bin/sh', `${RUNTIME_DIR}/runners/image-check.sh`, kind],
        User: `${facts.user.uid}:${facts.user.gid}`,
        Labels: { [LABELS.host]: hostId, [LABELS.run]: 'image-check' },
        HostConfig: {
          ...hardened(facts),
          NetworkMode: 'none',
          Mounts: [bind(runnersDir, `${RUNTIME_DIR}/runners`, true), bind(work, '/run/bot', false)],
        },
      });
      id = container.id;
      await container.start();
      await waitForEnd(connected, container.id, AbortSignal.timeout(CHECK_TIMEOUT_MS));
    });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    throw explained(image.name, runtime, refusal.message, error);
  } finally {
    if (id !== null) await removeContainer(connection, id);
  }
}

function explained(image: string, runtime: string, message: string, cause: unknown): PlatformError {
  if (/mounts denied|bind source path does not exist|not shared/i.test(message)) {
    return new PlatformError(
      'ENGINE_UNAVAILABLE',
      `The container engine does not see the folders of bots on this machine: ${message}`,
      { hint: 'In Docker Desktop share the data folder (Settings, Resources, File sharing).', cause },
    );
  }
  return lacks(image, runtime, `the engine could not start it: ${message.trim()}`);
}
