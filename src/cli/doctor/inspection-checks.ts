import { type ContainerInspection, Inspection } from '../../contract/doctor-inspection.ts';
import { formatBytes } from '../../shared/format-quantity.ts';
import { type Check, type Fix, subject } from '../check-result.ts';
import { goOn, runInspect } from './run-inspect.ts';
import { checkSandbox } from './sandbox-check.ts';

const LITTLE_SPACE = 5 * 1024 ** 3;
const SHOWN = 3;

const native = subject('native_module', 'SQLite', 'The host keeps everything in it.');
const settings = subject('settings', 'Settings', 'A host does not start with settings that it does not understand.');
const lock = subject('lock', 'Lock', 'It keeps two hosts from working on one folder.');
const place = subject('place', 'Place', 'Two folders with the same bots trade twice.');
const left = subject('left_files', 'Left files', 'Commands look for a host where an old file says that one is.');
const alone = subject(
  'bots_without_host',
  'Bots without a host',
  'Nothing restarts, stops or asks them until a host takes them over.',
);
const control = subject('control_db', 'control.db', 'Users, keys, bots and their settings are in it.');
const ledger = subject('ledger', 'Ledger', 'What bots bought, sold, earned and hold is in it.');
const logs = subject('log_dbs', 'Log databases', 'Lines and metrics of bots are in them.');
const folders = subject(
  'folders_of_bots',
  'Folders of bots',
  'State and logs of bots that no longer exist take space.',
);
const code = subject('code', 'Published code', 'A bot cannot start without the code of its version.');
const isolation = subject('isolation', 'Isolation', 'It says how far every bot of this host is kept from your files.');
const exposed = subject(
  'exposed_bots',
  'Open bots',
  'Other programs than the host can read what such a bot answers, or make it act.',
);
const trash = subject(
  'trash',
  'Trash',
  'Deleted bots can be restored, and take space until they are removed for good.',
);
/** The published id of this check, which is also the name of the engine in settings.json. */
export const DOCKER_CHECK = 'docker';
const docker = subject(DOCKER_CHECK, 'Docker', 'Bots run in containers of their own with it, else as local processes.');

/**
 * Returns the findings of the host's own modules, or a check with the reason why they do not work here. `dockerHost`: the running
 * host's container engine; null if unknown, and then searched as a host would.
 */
export async function inspect(
  dataDir: string,
  dockerHost: string | null,
): Promise<{ found: Inspection } | { broken: Check }> {
  const result = await runInspect(dataDir, ...(dockerHost === null ? [] : ['--docker-host', dockerHost]));
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
  const { state, pid, by } = found.lock;
  const of = pid === null ? 'names no process' : `is of process ${pid}, which has ended`;
  const hint = 'A new host takes it over by itself; `platform doctor --fix` removes it now.';
  const check =
    state === 'stale'
      ? lock.note(`host.lock ${of}`, hint, tidying(dataDir, 'remove the lock of a host that has ended'))
      : lock.ok(state === 'held' ? `held by ${by ?? `process ${pid}`}` : 'free');
  if (found.left.length === 0) return [check];
  const fix = tidying(dataDir, `remove what a host that was killed left: ${some(found.left)}`);
  return [
    check,
    left.note(`${some(found.left)}, of a host that was killed`, 'Remove them: `platform doctor --fix`.', fix),
  ];
}

function checkAlone({ going_on: count }: Inspection): Check[] {
  if (count === null || count === 0) return [];
  return [alone.note(`${goOn(count)} without a host`, '`platform start` takes them over.')];
}

function checkPlace(found: Inspection): Check[] {
  if (found.place === null) return [];
  const { state, identity, note } = found.place;
  const name = identity === null ? '' : `, named ${identity}`;
  if (state === 'here') return [place.ok(`the folder belongs here${name}`)];
  if (state === 'copied') {
    return [
      place.fault(
        `the folder was copied or moved here from ${note ?? 'another place'}; its bots wait`,
        'Stop the host there. Then say that it has moved here: `platform moved-here`.',
      ),
    ];
  }
  return [
    place.note(
      `a copy would go unnoticed: ${note ?? 'nothing here stays the same'}`,
      'Name this place: `--host-identity NAME` at each start, or PLATFORM_HOST_IDENTITY.',
    ),
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
  if (found.ledger !== null) {
    const { problem } = found.ledger;
    checks.push(
      problem === null
        ? ledger.ok('sound')
        : ledger.fault(
            `damaged: ${problem}`,
            'Stop the host and move ledger.db away: `platform restore FILE` then brings that of a backup, and without one the books of each bot are made again from its log when it runs.',
          ),
    );
  }
  const { total, looked_at: looked, damaged } = found.logs;
  const first = damaged[0];
  if (first !== undefined) {
    const text = `${damaged.length} of ${looked} damaged: ${first.file} (${first.problem})`;
    checks.push(
      logs.note(
        text,
        'The host passes over a damaged block, and the log of its bot says which lines are lost; a file that SQLite cannot read is set aside. Check the disk.',
      ),
    );
  } else if (total > 0)
    checks.push(logs.ok(looked === total ? `${total} sound` : `${looked} sound, of ${total} in the time`));
  return checks;
}

function checkFolders(found: Inspection): Check[] {
  const checks: Check[] = [];
  const { unknown_folders: unknown, set_aside: aside, missing_code: missing, control: known } = found;
  // A damaged control.db knows no folders, and the folders set aside may be all there is.
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

const LEAST = {
  none: 'none: bots may run as local processes, with the rights of the user who runs the host',
  partial: 'partial: every bot runs in the sandbox of this system at least, whose network is not limited',
  sandbox: 'sandbox: every bot runs in the sandbox of this system at least, and its network is limited',
  container: 'container: every bot runs in a container of its own',
} as const;

/** Tells of deleted bots, which take space until they are removed. */
function checkTrash(deleted: readonly { readonly name: string; readonly deleted_at: string }[]): Check[] {
  const [first] = deleted;
  if (first === undefined) return [];
  const names = some(deleted.map(({ name }) => name));
  return [trash.ok(`${names}: deleted, the first at ${first.deleted_at}; each is removed for good after 7 days`)];
}

/** Checks the isolation of the bots, and notes bots that others than the host can reach. */
function checkGuards({ control: known }: Inspection): Check[] {
  if (known === null) return [];
  const opened = [
    ...known.exposed.map(({ name, message, hint }) => exposed.note(`${name}: ${message}`, hint ?? '')),
    ...checkTrash(known.trash),
  ];
  if (known.isolation === null) return opened;
  const { least, exceptions } = known.isolation;
  const count = exceptions.length;
  const check =
    count === 0
      ? isolation.ok(`at least ${LEAST[least]}`)
      : isolation.note(
          `at least ${least}; ${count === 1 ? '1 bot runs' : `${count} bots run`} with less, as an exception: ${some(exceptions)}`,
          'Move each to an engine that isolates enough: `platform isolation list` shows them, `platform isolation end BOT` moves one.',
        );
  return [check, ...opened];
}

/** Words for the codes of the system. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there',
  ENOENT: 'there is no such socket',
  EACCES: 'you may not use its socket',
  EPERM: 'you may not use its socket',
};

/** The demand for containers, with its origin, and the remedy where there are none; null where local processes do. */
type Need = { readonly who: string; readonly instead: string } | null;

function needOf({ settings: { engine }, control: known }: Inspection): Need {
  if (known?.isolation?.least === 'container') {
    return {
      who: 'this host demands isolation "container": no bot can be deployed or started',
      instead: 'allow local processes: `platform start --engine auto`',
    };
  }
  return engine === DOCKER_CHECK
    ? {
        who: 'settings.json asks for it',
        instead: 'choose another engine: "engine": "auto" in settings.json',
      }
    : null;
}

function brokenDocker(found: ContainerInspection, needed: Need): Check {
  const text = `${found.address}: ${REASONS[found.problem ?? ''] ?? found.problem}`;
  const forbidden = found.problem === 'EACCES' || found.problem === 'EPERM';
  const hint = forbidden
    ? 'Join its group and log in again: sudo usermod -aG docker $USER. Its members can do what root can.'
    : 'Start it, e.g. `sudo systemctl start docker`, or name another one with --docker-host.';
  if (needed !== null) return docker.fault(`${text}; ${needed.who}`, `${hint} Or ${needed.instead}.`);
  return forbidden
    ? docker.note(`${text}; bots run as local processes`, hint)
    : docker.spare(`${text}; bots run as local processes`, hint);
}

function checkDocker(found: ContainerInspection | null, needed: Need): Check {
  if (found === null)
    return needed !== null
      ? docker.fault(`none, and ${needed.who}`, `Install Docker and start it, or ${needed.instead}.`)
      : docker.spare('none; bots run as local processes');
  if (found.problem !== null) return brokenDocker(found, needed);
  const text = `${found.version ?? 'unknown version'} at ${found.address}, ${found.driver ?? 'unknown storage'}, cgroups ${found.cgroups ?? 'unknown'}`;
  const [major = 0, minor = 0] = (found.api ?? '').split('.').map(Number);
  if (major < 1 || (major === 1 && minor < 40)) {
    const old = docker[needed === null ? 'note' : 'fault'];
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

/** Returns the checks for the findings of the host's own modules. */
export function checksOf(found: Inspection, dataDir: string): Check[] {
  const { problem } = found.settings;
  const set =
    problem === null
      ? settings.ok('fine')
      : settings.fault(problem, 'Correct settings.json in the data folder, or remove it.');
  return [
    native.ok('the module works'),
    set,
    ...checkLock(found, dataDir),
    ...checkAlone(found),
    ...checkPlace(found),
    ...checkDatabases(found),
    ...checkFolders(found),
    ...checkGuards(found),
    checkDocker(found.containers, needOf(found)),
    ...checkSandbox(found),
  ];
}
