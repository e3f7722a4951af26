import { execFile } from 'node:child_process';
import { type DockerInspection, Inspection } from '../../contract/inspection.ts';
import { formatBytes } from '../../isomorphic/duration.ts';
import { isJsonObject } from '../../isomorphic/json.ts';
import { type Check, type Fix, subject } from '../check.ts';
import { hostNode, INSPECT_FILE } from '../resources.ts';

const PATIENCE_MS = 60_000;
const MOST_OUTPUT = 16 * 1024 * 1024;
const LITTLE_SPACE = 5 * 1024 ** 3;
const SHOWN = 3;

const native = subject('native_module', 'SQLite', 'The host keeps everything in it.');
const settings = subject('settings', 'Settings', 'A host does not start with settings that it does not understand.');
const lock = subject('lock', 'Lock', 'It keeps two hosts from working on one folder.');
const left = subject('left_files', 'Left files', 'Commands look for a host where an old file says that one is.');
const control = subject('control_db', 'control.db', 'Users, keys, bots and their settings are in it.');
const logs = subject('log_dbs', 'Log databases', 'Lines and metrics of bots are in them.');
const folders = subject('folders_of_bots', 'Folders of bots', 'State and logs of a bot that nobody knows take space.');
const code = subject('code', 'Published code', 'A bot cannot start without the code of its version.');
const docker = subject('docker', 'Docker', 'Bots run in containers of their own with it, else as local processes.');

/** Runs the host's own look at a data folder; what it printed, or why it could not. */
function runInspect(dataDir: string, ...flags: string[]): Promise<{ value: unknown } | { broken: string }> {
  const options = { timeout: PATIENCE_MS, maxBuffer: MOST_OUTPUT };
  return new Promise((resolve) => {
    execFile(hostNode(), [INSPECT_FILE, dataDir, ...flags], options, (error, stdout, stderr) => {
      try {
        const value: unknown = JSON.parse(stdout);
        const said = isJsonObject(value) && typeof value.error === 'string' ? value.error : null;
        resolve(said === null ? { value } : { broken: said });
      } catch (cause) {
        if (!(cause instanceof SyntaxError)) throw cause;
        const ended = error?.signal ? `ended by ${error.signal}` : (error?.message ?? 'it said nothing');
        resolve({ broken: (stderr.trim().split('\n').at(-1) || ended).trim() });
      }
    });
  });
}

/** What the host's own modules found, or the check that says why they do not work here. */
export async function inspect(dataDir: string): Promise<{ found: Inspection } | { broken: Check }> {
  const result = await runInspect(dataDir);
  const parsed = 'value' in result ? Inspection.safeParse(result.value) : null;
  if (parsed?.success === true) return { found: parsed.data };
  const why = 'broken' in result ? result.broken : 'its answer is of another release';
  return {
    broken: native.fault(
      `the host's modules do not work here: ${why}`,
      'Run `npm ci` and `npm run build` in the product, or install it again.',
    ),
  };
}

const some = (all: readonly string[]): string =>
  all.length > SHOWN ? `${all.slice(0, SHOWN).join(', ')} and ${all.length - SHOWN} more` : all.join(', ');

function tidying(dataDir: string, what: string): Fix {
  return {
    what,
    async run() {
      const result = await runInspect(dataDir, '--tidy');
      if ('broken' in result) throw new Error(result.broken);
    },
  };
}

function checkLock(found: Inspection, dataDir: string): Check[] {
  const { state, pid } = found.lock;
  const of = pid === null ? 'names nobody' : `is of process ${pid}, which has ended`;
  const hint = 'A new host takes it over by itself; `platform doctor --fix` removes it now.';
  const check =
    state === 'stale'
      ? lock.note(`host.lock ${of}`, hint, tidying(dataDir, 'remove the lock of a host that has ended'))
      : lock.ok(state === 'held' ? `held by process ${pid}` : 'free');
  if (found.left.length === 0) return [check];
  const fix = tidying(dataDir, `remove what a host that was killed left: ${some(found.left)}`);
  return [
    check,
    left.note(`${some(found.left)}, of a host that was killed`, 'Remove them: `platform doctor --fix`.', fix),
  ];
}

function checkDatabases(found: Inspection): Check[] {
  const checks: Check[] = [];
  if (found.control !== null) {
    const { problem, cut_restore: cut, schema, newest_schema: newest } = found.control;
    // Not by hand: bots that were stopped since a backup would start.
    const restore = 'Stop the host and restore a backup: `platform backup --list`, then `platform restore FILE`.';
    if (problem !== null) checks.push(control.fault(problem, cut ?? restore));
    else if (schema > newest) {
      checks.push(
        control.fault(
          `of a newer release (schema ${schema}, this one knows ${newest})`,
          'Start the newer release again.',
        ),
      );
    } else checks.push(control.ok(schema < newest ? `sound; the next start brings it to schema ${newest}` : 'sound'));
  }
  const { total, looked_at: looked, damaged } = found.logs;
  const first = damaged[0];
  if (first !== undefined) {
    const text = `${damaged.length} of ${looked} damaged: ${first.file} (${first.problem})`;
    checks.push(
      logs.note(text, 'The host sets a damaged one aside and goes on without it; its lines are lost. Check the disk.'),
    );
  } else if (total > 0)
    checks.push(logs.ok(looked === total ? `${total} sound` : `${looked} sound, of ${total} in the time`));
  return checks;
}

function checkFolders(found: Inspection): Check[] {
  const checks: Check[] = [];
  const { unknown_folders: unknown, set_aside: aside, missing_code: missing, control: known } = found;
  // With a fault in control.db nothing is known of folders, and what was set aside may be all there is.
  const isSound = known?.problem === null;
  if (unknown.length > 0 && isSound) {
    checks.push(
      folders.note(
        `control.db does not know ${some(unknown)}`,
        'The next start moves them to set-aside/. Nothing is removed.',
      ),
    );
  } else if (aside.length > 0 && isSound) {
    checks.push(
      folders.spare(`${aside.length} in set-aside/`, 'Look whether you need what is in them, then remove them.'),
    );
  }
  if (missing.length > 0) {
    checks.push(
      code.fault(`the code of ${some(missing)} is gone`, 'Publish these versions again from their projects.'),
    );
  }
  return checks;
}

/** Words for the codes of the system. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody answers there',
  ENOENT: 'there is no such socket',
  EACCES: 'you may not use its socket',
  EPERM: 'you may not use its socket',
};

function brokenDocker(found: DockerInspection, needed: boolean): Check {
  const text = `${found.address}: ${REASONS[found.problem ?? ''] ?? found.problem}`;
  const forbidden = found.problem === 'EACCES' || found.problem === 'EPERM';
  const hint = forbidden
    ? 'Join its group and log in again: sudo usermod -aG docker $USER. Whoever is in it can do what root can.'
    : 'Start it, e.g. `sudo systemctl start docker`, or name another one with --docker-host.';
  if (needed) return docker.fault(text, hint);
  return forbidden
    ? docker.note(`${text}; bots run as local processes`, hint)
    : docker.spare(`${text}; bots run as local processes`, hint);
}

function checkDocker(found: DockerInspection | null, needed: boolean): Check {
  const hint = 'Install Docker, or choose the other engine: "engine": "process" in settings.json.';
  if (found === null)
    return needed
      ? docker.fault('none, and settings.json asks for it', hint)
      : docker.spare('none; bots run as local processes');
  if (found.problem !== null) return brokenDocker(found, needed);
  const text = `${found.version ?? 'unknown version'} at ${found.address}, ${found.driver ?? 'unknown storage'}, cgroups ${found.cgroups ?? 'unknown'}`;
  const [major = 0, minor = 0] = (found.api ?? '').split('.').map(Number);
  if (major < 1 || (major === 1 && minor < 40)) {
    const old = docker[needed ? 'fault' : 'note'];
    return old(`${text}: API ${found.api ?? 'unknown'} is too old`, 'Install Docker 19.03 or later.');
  }
  if (found.no_limits.length > 0) {
    return docker.note(
      `${text}: no limits of ${found.no_limits.join(', ')}`,
      'A bot can take all of it. Switch these cgroup controllers on.',
    );
  }
  const { free_bytes: free } = found;
  if (free !== null && free < LITTLE_SPACE) {
    return docker.note(`${text}; ${formatBytes(free)} free for images`, 'Free some space: docker system prune.');
  }
  return docker.ok(text);
}

/** The checks of what the host's own modules found. */
export function checksOf(found: Inspection, dataDir: string): Check[] {
  const { problem, engine } = found.settings;
  const set =
    problem === null
      ? settings.ok('fine')
      : settings.fault(problem, 'Correct settings.json in the data folder, or remove it.');
  return [
    native.ok('the module works'),
    set,
    ...checkLock(found, dataDir),
    ...checkDatabases(found),
    ...checkFolders(found),
    checkDocker(found.docker, engine === 'docker'),
  ];
}
