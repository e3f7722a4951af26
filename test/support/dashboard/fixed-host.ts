import type { BrowserContext, WebSocketRoute } from 'playwright-core';
import type { ErrorBody } from '../../../src/contract/errors.ts';
import { type CallName, type Input, OPERATIONS, type Output } from '../../../src/contract/operations.ts';
import { DEFAULT_PREFERENCES } from '../../../src/contract/preference-choices.ts';
import { AUDIT, HOST, IMAGES, KEYS, OWNER, SESSIONS, STATE, stateValue, TRASH, USERS } from './fixed-account.ts';
import { ALARMS, CHANNELS, MUTES, RULES, WATCH } from './fixed-alarms.ts';
import { APPROVALS, BOTS_WITH_APPROVALS } from './fixed-approvals.ts';
import { BOTS, BROKEN, EVENTS, FAILURE, MANY_BOTS, RUNS, statsOf, WELL } from './fixed-bots.ts';
import { CUSTOM_BOTS, SAMPLES, schemaOf, versionOf } from './fixed-catalog.ts';
import { diffOf, fileOf, filesOf, PROJECTS } from './fixed-files.ts';
import { GUARDS } from './fixed-guards.ts';
import {
  conflictsOf,
  entriesOf,
  equityOf,
  ledgerOf,
  ledgers,
  ordersOf,
  problemsOf,
  SUMMARIES,
} from './fixed-ledger.ts';
import { RECOVERY_KEY, SEALED_VAULT, SECRETS, VAULT } from './fixed-secrets.ts';
import { eventsOf, logOf, overviewOf, seriesOf, summaryOf } from './fixed-telemetry.ts';
import { FIXED_VIEW } from './fixed-view.ts';
import { FIXED_NAMES } from './places.ts';

/**
 * A host with fixed answers, in the browser alone. Output, metrics and resources of real bots differ between runs and
 * machines, so their pictures could not be compared. The page's files and policy still come from a real host. Answers
 * are checked against the contract, so that they stay possible ones.
 */

/**
 * How the fixed host is: as usual, with something that waits for its user, with nothing or a thousand bots in it, refusing every
 * read but that of the fleet, or not letting anybody in.
 */
export type World = 'full' | 'waiting' | 'many' | 'empty' | 'failing' | 'read-only' | 'logged-out' | 'away';

type Answer<N extends CallName> = (input: Input<N>) => unknown;
type Answers = { readonly [N in CallName]?: Answer<N> };

const FAULT: ErrorBody = {
  code: 'INTERNAL',
  message: 'Something went wrong in the host',
  hint: 'Try again; if it stays, look into the log of the host for the request id.',
  details: null,
  request_id: 'req_01kxyz',
};
const WRONG: ErrorBody = {
  ...FAULT,
  code: 'INVALID_REQUEST',
  message: 'The fixed host does not know this',
  hint: null,
};

const WRONG_PASSWORD: ErrorBody = {
  ...FAULT,
  code: 'INVALID_CREDENTIALS',
  message: 'User name or password is wrong',
  hint: 'Check both, or ask the owner for a new password.',
};

class Refusal extends Error {
  readonly body: ErrorBody;
  constructor(body: ErrorBody) {
    super(body.message);
    this.body = body;
  }
}

const items = (list: readonly unknown[]) => ({ items: list });
const botOf = (botId: string) => BOTS.find((one) => one.bot_id === botId);

function logPage({ bot_id, before, after, limit = 250, level, search }: Input<'logs.get'>): Output<'logs.get'> {
  const fits = logOf(bot_id).filter(
    (one) =>
      (before === undefined || one.seq < before) &&
      (after === undefined || one.seq > after) &&
      (level === undefined || one.level === level) &&
      (search === undefined || one.message.toLowerCase().includes(search.toLowerCase())),
  );
  const entries = after === undefined ? fits.slice(-limit) : fits.slice(0, limit);
  return { bot_id, entries, truncated: entries.length < fits.length, older_before: null, incomplete: false };
}

let looks = 0;

const GB = 1024 ** 3;
const STORAGE = {
  retention_days: 30,
  retention_mb: 512,
  backups_kept: 7,
  min_free_mb: null,
  fixed: [],
  free_bytes: 182 * GB,
  total_bytes: 480 * GB,
  low: false,
  low_below_bytes: 500 * 1024 ** 2,
};
const BACKUPS = [
  {
    file: '/home/ann/.local/share/bot-platform/backups/backup-2026-11-20T09-30-00-000Z.tar.gz',
    kind: 'full',
    made_at: '2026-11-20T09:30:00.000Z',
    size_bytes: 18_400_000,
    with_logs: false,
  },
  {
    file: '/home/ann/.local/share/bot-platform/backups/control-daily-2026-11-20.db',
    kind: 'control',
    made_at: '2026-11-20T00:17:00.000Z',
    size_bytes: 1_240_000,
    with_logs: false,
  },
];

const FULL: Answers = {
  'host.get': () => HOST,
  'host.storage': () => STORAGE,
  'host.backups': () => items(BACKUPS),
  'images.list': () => items(IMAGES),
  'interpreters.list': () =>
    items([
      { name: 'awk', path: '/usr/bin/mawk', on_machine: true, image: null },
      { name: 'ruby', path: null, on_machine: false, image: 'ruby:3.4-slim' },
    ]),
  'secrets.list': () => ({ items: SECRETS, vault: VAULT }),
  'secrets.recovery_key': () => ({ key_id: VAULT.key_id, recovery_key: RECOVERY_KEY }),
  'keys.list': () => items(KEYS),
  'sessions.list': () => items(SESSIONS),
  'bots.network': ({ bot_id }) => ({
    ...{ bot_id, mode: 'enforce', is_enforced: true, items: [], proposal: [] },
    summary: 'It reaches what its permits name, and nothing else.',
  }),
  'guards.list': ({ bot_id }) => items(bot_id === FIXED_NAMES.well ? GUARDS : []),
  'approvals.list': () => items([]),
  'guards.remove': () => {
    const needed = { code: 'PIN_REQUIRED', message: 'This needs your PIN', details: { chosen: true } } as const;
    throw new Refusal({ ...FAULT, ...needed });
  },
  'alarms.channels': () => items(CHANNELS),
  'alarms.rules': () => items(RULES),
  // A count would be there or not, by when it comes and by which place was looked at before.
  'alarms.log': ({ bot_id }) => ({
    items: ALARMS.filter((one) => bot_id === undefined || one.bot_id === bot_id),
    unseen: 0,
  }),
  'alarms.mutes': () => items(MUTES),
  'alarms.watch': () => WATCH,
  'alarms.seen': () => ({ ok: true }),
  'alarms.add_channel': ({ name, kind }) => ({ ...CHANNELS[1], channel_id: 'chn_3', name, kind, state: 'unverified' }),
  'alarms.test_channel': () => ({
    sent: false,
    problem: 'Telegram answered with status 404: it refuses the credential',
    channel: { ...CHANNELS[1], channel_id: 'chn_3' },
  }),
  'keys.create': ({ name, scope = 'deploy', extended = false }) => ({
    ...KEYS[0],
    key_id: 'key_3',
    name,
    scope,
    extended,
    last_used_at: null,
    key: 'bp_fixed_0123456789abcdefghijklmnopqrstuvwxyz',
  }),
  'users.list': () => items(USERS),
  'pin.get': () => ({ set_at: null, confirmed_until: null, wrong: 0, wait_sec: 0 }),
  'audit.list': () => items(AUDIT),
  'trash.list': () => items(TRASH),
  'custom_bots.list': () => items(CUSTOM_BOTS),
  'custom_bots.get': ({ name, version = '1.2.0' }) => versionOf(name, version),
  'custom_bots.schema': ({ name, version = '1.2.0' }) => ({ name, version, schema: schemaOf(version) }),
  'custom_bots.files': ({ name, version = '1.2.0' }) => filesOf(name, version),
  'custom_bots.file': ({ name, version = '1.2.0', path }) => fileOf(name, version, path),
  'custom_bots.view': ({ name, version = '1.2.0' }) => ({
    name,
    version,
    html: name === 'price-alerts' ? FIXED_VIEW : null,
  }),
  'custom_bots.diff': ({ name, from, to }) => diffOf(name, from, to),
  'samples.list': () => items(SAMPLES),
  'assistants.list': () =>
    items([
      { name: 'claude-code', title: 'Claude Code', here: true, file: '/home/ann/.claude.json' },
      { name: 'cursor', title: 'Cursor', here: false, file: '/home/ann/.cursor/mcp.json' },
    ]),
  'assistants.set_up': ({ scope = 'deploy', extended = false }) => ({
    title: 'Claude Code',
    file: '/home/ann/.claude.json',
    backup: '/home/ann/.claude.json.backup-20260714T093000000Z',
    changes: [{ server: 'bot-platform', change: 'replaced' }],
    key: { ...KEYS[0], key_id: 'key_3', name: 'Claude Code', scope, extended, last_used_at: null },
    secret: null,
    replaced_keys: [{ key_id: 'key_1', name: 'Claude Code' }],
    next: 'Restart Claude Code; /mcp lists the server.',
    notes: [],
  }),
  'preferences.get': () => DEFAULT_PREFERENCES,
  'preferences.set': (change) => ({ ...DEFAULT_PREFERENCES, ...change }),
  'projects.list': () => items(PROJECTS),
  'bots.list': () => items(BOTS),
  'bots.get': ({ bot_id }) => ({ ...botOf(bot_id), ledger: [] }),
  'bots.stats': ({ bot_id }) => {
    looks += 1;
    return statsOf(bot_id, looks);
  },
  'bots.diagnosis': ({ bot_id }) => ({
    bot_id,
    status: botOf(bot_id)?.status,
    failure: bot_id === BROKEN ? FAILURE : null,
  }),
  'bots.events': ({ bot_id }) => items(EVENTS[bot_id] ?? []),
  'bots.query': ({ bot_id, path }) => {
    if (bot_id !== WELL) {
      const hint = 'Add entrypoints.query to bot-config.yaml, and publish a version with it.';
      throw new Refusal({ ...FAULT, code: 'QUERY_PATH_NOT_FOUND', message: 'The bot has no query program', hint });
    }
    const result =
      path === '/info'
        ? { available_queries: ['/alerts', '/status'], version: '1.2.0' }
        : {
            total: 2,
            alerts: [
              { symbol: 'AAPL', at: 190 },
              { symbol: 'MSFT', at: 400 },
            ],
          };
    return { result, duration_ms: 3.4, mode: 'server' };
  },
  'runs.list': ({ bot_id }) => items(RUNS[bot_id] ?? []),
  'runs.get': ({ bot_id, run_id }) => RUNS[bot_id]?.find((one) => one.run_id === run_id),
  'logs.get': logPage,
  'logs.summary': ({ bot_id }) => summaryOf(bot_id),
  'metrics.get': ({ bot_id }) => overviewOf(bot_id),
  'metrics.list': ({ bot_id, type }) => ({ bot_id, events: eventsOf(bot_id, type), truncated: false }),
  'metrics.series': seriesOf,
  'ledger.list': ({ by, from, to }) => ledgers(by, from, to),
  'ledger.get': ({ bot_id, by, from, to }) => ledgerOf(bot_id, by, from, to),
  'ledger.entries': ({ bot_id, mode }) => entriesOf(bot_id, mode),
  'ledger.orders': ({ bot_id, mode }) => ordersOf(bot_id, mode),
  'ledger.summary': () => SUMMARIES,
  'ledger.equity': ({ bot_id, mode }) => equityOf(bot_id, mode),
  'ledger.problems': ({ bot_id }) => problemsOf(bot_id),
  'ledger.conflicts': ({ bot_id }) => conflictsOf(bot_id),
  'state.list': ({ bot_id }) => (bot_id === WELL ? STATE : { bot_id, keys: [], total_bytes: 0, over_quota: false }),
  'state.get': ({ key }) => stateValue(key),
};

const nothing = () => items([]);
const EMPTY: Answers = {
  ...FULL,
  'bots.list': nothing,
  'ledger.list': () => ({ items: [], rate_currencies: [] }),
  'ledger.summary': () => ({ items: [], incomplete: false }),
  'custom_bots.list': nothing,
  'secrets.list': () => ({ items: [], vault: SEALED_VAULT }),
  'alarms.channels': nothing,
  'alarms.mutes': nothing,
  'alarms.watch': () => ({ ...WATCH, set: false, target: null, last_at: null }),
  'alarms.log': () => ({ items: [], unseen: 0 }),
  'interpreters.list': nothing,
  'keys.list': nothing,
  'sessions.list': nothing,
  'audit.list': nothing,
  'trash.list': nothing,
  'projects.list': nothing,
  'host.get': () => ({
    ...HOST,
    bots: {},
    engines: HOST.engines.map((one) =>
      one.name === 'docker'
        ? { ...one, available: false, reason: 'Docker does not answer at /var/run/docker.sock' }
        : one,
    ),
  }),
};

const WAITING: Answers = {
  ...FULL,
  'approvals.list': () => items(APPROVALS),
  'approvals.get': ({ bot_id }) => APPROVALS.find((one) => one.bot_id === bot_id),
  'bots.list': () => items(BOTS_WITH_APPROVALS),
  'bots.get': ({ bot_id }) => ({ ...BOTS_WITH_APPROVALS.find((one) => one.bot_id === bot_id), ledger: [] }),
};

const OTHERS: Readonly<Partial<Record<World, Answers>>> = {
  empty: EMPTY,
  waiting: WAITING,
  many: { ...FULL, 'bots.list': () => items(MANY_BOTS) },
};

/** What the frame around every place is made of. */
const STILL_READ: ReadonlySet<string> = new Set(['bots.list', 'bots.get']);

function answer(world: World, name: CallName, input: unknown): unknown {
  if (world === 'failing' && !STILL_READ.has(name)) throw new Refusal(FAULT);
  const answers = OTHERS[world] ?? FULL;
  const found = answers[name] as ((input: unknown) => unknown) | undefined;
  if (found === undefined) throw new Refusal({ ...WRONG, details: name });
  // A page may get only what a real host could say.
  return OPERATIONS[name].output.parse(found(OPERATIONS[name].input.parse(input)));
}

function toBody(thrown: unknown): ErrorBody {
  return thrown instanceof Refusal ? thrown.body : { ...WRONG, message: `The fixed host failed: ${thrown}` };
}

interface Asked {
  readonly id: number;
  readonly call?: CallName;
  readonly input?: unknown;
}

function serve(socket: WebSocketRoute, world: World, asked: CallName[], told: (problem: string) => void): void {
  socket.onMessage((text) => {
    const { id, call, input }: Asked = JSON.parse(String(text));
    // Streams are followed without ever saying anything: the world stands still.
    if (call === undefined) return;
    asked.push(call);
    try {
      socket.send(JSON.stringify({ id, result: answer(world, call, input) }));
    } catch (thrown) {
      const error = toBody(thrown);
      if (error.code === WRONG.code) told(`${call} ${JSON.stringify(input)}: ${error.message}`);
      socket.send(JSON.stringify({ id, error }));
    }
  });
}

/** A test's handle of a fixed host. */
export interface FixedHost {
  world: World;
  /** Ends all connections of the page and refuses new ones until the world changes. */
  goAway(): Promise<void>;
  /** What the page has read and done. */
  readonly asked: readonly CallName[];
  /** What the page asked and the fixed host could not answer. */
  readonly problems: readonly string[];
}

interface HttpAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Requests of the page that go to the fixed host. Playwright's own way to answer them would turn off the cache of all files. */
const ASK = `
  window.fetch = async (path) => {
    const answer = await window.askFixedHost(path);
    if (answer === null) throw new TypeError('Failed to fetch');
    return new Response(JSON.stringify(answer.body), { status: answer.status });
  };
`;

/** Puts a fixed host before every page of a browser context. */
export async function fixedHost(context: BrowserContext): Promise<FixedHost> {
  const problems: string[] = [];
  const asked: CallName[] = [];
  const sockets = new Set<WebSocketRoute>();
  const host: FixedHost = {
    world: 'full',
    asked,
    problems,
    async goAway() {
      host.world = 'away';
      for (const socket of sockets) await socket.close();
      sockets.clear();
    },
  };
  await context.routeWebSocket('**/api/v1/socket', async (socket) => {
    if (host.world === 'away') {
      await socket.close();
      return;
    }
    sockets.add(socket);
    serve(socket, host.world, asked, (problem) => problems.push(problem));
  });
  await context.exposeBinding('askFixedHost', (_source, path: string): HttpAnswer | null => {
    if (host.world === 'away') return null;
    if (path !== '/api/v1/auth') return { status: 401, body: { error: WRONG_PASSWORD } };
    if (host.world === 'logged-out')
      return { status: 401, body: { error: { ...FAULT, code: 'AUTHENTICATION_REQUIRED' } } };
    return { status: 200, body: host.world === 'read-only' ? { ...OWNER, scope: 'read' } : OWNER };
  });
  await context.addInitScript(ASK);
  return host;
}
