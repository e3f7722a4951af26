import type { ApiKey, AuditEntry, AuthStatus, SessionInfo, User } from '../../../src/contract/account.ts';
import type { HostInfo, ImageInfo } from '../../../src/contract/host.ts';
import type { StateList, StateValue } from '../../../src/contract/state.ts';
import type { TrashedBot } from '../../../src/contract/trash.ts';
import { back, FIXED_URL, WELL } from './fixed-bots.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export const OWNER: AuthStatus = {
  valid: true,
  user: { user_id: 'user_owner', name: 'owner', role: 'owner' },
  scope: 'full',
  bots: null,
  method: 'session',
  key: null,
};

export const USERS: readonly User[] = [
  { user_id: 'user_owner', name: 'owner', role: 'owner', created_at: back(40 * DAY), has_password: false },
  { user_id: 'user_ann', name: 'ann', role: 'user', created_at: back(12 * DAY), has_password: true },
];

const sessionOf = (id: string, over: Partial<SessionInfo>): SessionInfo => ({
  session_id: id,
  user_id: 'user_owner',
  created_at: back(3 * DAY),
  last_used_at: back(2 * MINUTE),
  expires_at: back(-27 * DAY),
  source: '127.0.0.1',
  client: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  current: false,
  ...over,
});

export const SESSIONS: readonly SessionInfo[] = [
  sessionOf('session_1', { current: true }),
  sessionOf('session_2', { source: '192.0.2.17', last_used_at: back(2 * DAY), created_at: back(9 * DAY) }),
  sessionOf('session_3', { source: null, client: null, last_used_at: null }),
];

export const KEYS: readonly ApiKey[] = [
  {
    key_id: 'key_1',
    name: 'Claude Code',
    scope: 'deploy',
    bots: null,
    extended: true,
    created_at: back(12 * DAY),
    last_used_at: back(3 * MINUTE),
    expires_at: null,
    revoked_at: null,
  },
  {
    key_id: 'key_2',
    name: 'A nightly report that reads what the bots have done and sends it to everybody',
    scope: 'read',
    bots: [WELL],
    extended: false,
    created_at: back(4 * DAY),
    last_used_at: null,
    expires_at: back(-26 * DAY),
    revoked_at: null,
  },
];

const audit = (
  audit_id: number,
  operation: string,
  outcome: string,
  target: string | null,
  deed: string,
): AuditEntry => ({
  audit_id,
  at: back((12 - audit_id) * MINUTE),
  user_id: 'user_owner',
  method: 'api_key',
  key_id: 'key_1',
  client: 'claude-code/2.1',
  operation: `mcp ${operation}`,
  target,
  outcome,
  duration_ms: 14 * audit_id,
  names: {},
  by: 'key Claude Code',
  deed,
});

/** What a person did in a browser. */
const byHand = (...told: Parameters<typeof audit>): AuditEntry => ({
  ...audit(...told),
  operation: told[1],
  method: 'session',
  key_id: null,
  client: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  by: 'owner',
});
const byKey = { method: 'api_key', key_id: 'key_1', by: 'key Claude Code' };
const LONG_KEY = 'A nightly report that reads what the bots have done and sends it to everybody';

export const AUDIT: readonly AuditEntry[] = [
  audit(11, 'bot_list', 'ok', null, 'listed the bots'),
  audit(10, 'logs_summary', 'ok', WELL, 'read a summary of the log of bot sma-live'),
  audit(9, 'bot_delete', 'asked', WELL, 'asked to delete bot sma-live'),
  audit(8, 'bot_update', 'INVALID_CONFIG', WELL, 'tried to change bot sma-live'),
  byHand(7, 'projects.write', 'ok', 'prj_01kxyzabcdefgh', 'saved src/main.py in project my-bot'),
  { ...byHand(6, 'bots.deploy', 'ok', 'sma-live', 'deployed bot sma-live 1.0.1'), ...byKey, client: 'claude-code/2.1' },
  byHand(5, 'keys.create', 'ok', LONG_KEY, `made key ${LONG_KEY} with scope read`),
  { ...byHand(4, 'users.create', 'FORBIDDEN', 'eve', 'tried to add user eve'), ...byKey, client: 'curl/8.14.1' },
  byHand(3, 'users.update', 'ok', 'user_ann', 'changed user ann to role owner'),
  byHand(2, 'bots.restart', 'ok', WELL, 'restarted bot sma-live'),
  {
    ...byHand(1, 'auth.link', 'ok', null, 'made a log-in link'),
    method: 'local',
    client: 'platform-cli (node 24.21.0)',
  },
];

export const TRASH: readonly TrashedBot[] = [
  {
    bot_id: 'bot_01kxyztrash1',
    name: 'sma-eth',
    type: 'realtime/sma-crossover',
    version: '1.2.0',
    deleted_at: back(3 * MINUTE),
    deleted_by: 'owner',
    in_person: true,
    restorable_until: back(-7 * DAY + 3 * MINUTE),
  },
  {
    bot_id: 'bot_01kxyztrash2',
    name: 'A bot whose name is long enough to show how the table deals with names that take more than one line',
    type: 'scheduled/portfolio-tracker',
    version: '1.0.0',
    deleted_at: back(6 * DAY),
    deleted_by: `key ${LONG_KEY}`,
    in_person: false,
    restorable_until: back(-DAY),
  },
];

export const HOST: HostInfo = {
  version: '0.1.0',
  node: 'v24.21.0',
  platform: 'linux x64',
  pid: 4711,
  url: FIXED_URL,
  data_dir: '/home/jo/.local/share/bot-platform',
  home_dir: '/home/jo',
  command: ['/usr/bin/node', '/home/jo/bot-platform/out/main/platform.js'],
  feed_url: `${FIXED_URL}/feed`,
  started_at: back(26 * 60 * MINUTE),
  engines: [
    {
      name: 'process',
      title: 'Local processes',
      about: 'Each bot as a program of this machine. Not a sandbox: run only bots you trust.',
      summary: 'A process of this machine, without a container',
      remedy: null,
      options: [],
      images: false,
      level: 'none',
      available: true,
      reason: null,
      address: null,
      isolation: [
        { aspect: 'Files', level: 'none', note: 'Not kept apart: a bot reads what your own account reads.' },
        { aspect: 'Memory', level: 'partial', note: 'Limited for each process of a bot.' },
        { aspect: 'Processes', level: 'full', note: 'All processes of a bot end with it.' },
      ],
    },
    {
      name: 'docker',
      title: 'Docker',
      about: 'Each bot in a container of its own.',
      summary: 'Docker, a container of its own',
      remedy: 'Start Docker',
      options: ['cpus', 'tmp_mb', 'network'],
      images: true,
      level: 'container',
      available: true,
      reason: null,
      address: 'unix:///var/run/docker.sock',
      isolation: [
        { aspect: 'Files', level: 'full', note: 'A bot sees its code and its state alone.' },
        { aspect: 'Memory', level: 'full', note: 'Limited for the bot as a whole.' },
      ],
    },
  ],
  least_isolation: 'none',
  query_pool: { waiting: 1, limit: 4, memory_bytes: 41_943_040, memory_limit_bytes: 536_870_912 },
  place: { state: 'here', identity: null, note: null, from: null, since: null, waiting: 0 },
  bots: { running: 2, backing_off: 1, scheduled: 2, stopped: 1, failed: 1 },
};

const image = (runtime: string, name: string, over: Partial<ImageInfo> = {}): ImageInfo => ({
  runtime,
  image: name,
  chosen: false,
  present: true,
  size_bytes: 181_403_648,
  problem: null,
  pull: null,
  ...over,
});

export const IMAGES: readonly ImageInfo[] = [
  image('nodejs24', 'node:24-slim'),
  image('python311', 'registry.example.com/team/python:3.11-with-numpy-and-pandas', { chosen: true }),
  image('java21', 'eclipse-temurin:21-jre', {
    present: false,
    size_bytes: null,
    pull: { text: '45 of 118 MB, 3 of 5 layers', layers: [] },
  }),
  image('gcc13', 'gcc:13', {
    present: false,
    size_bytes: null,
    problem: { message: 'The registry did not answer within 30 s', hint: 'Look at the network of the host.' },
  }),
];

export const STATE: StateList = {
  bot_id: WELL,
  keys: [
    { key: 'book', size: 2140, modified_at: back(2 * MINUTE) },
    { key: 'bot_state', size: 96, modified_at: back(12 * MINUTE) },
    { key: 'prices', size: 3 * 1024 * 1024, modified_at: back(DAY) },
  ],
  total_bytes: 3_147_964,
  over_quota: false,
};

export const stateValue = (key: string): StateValue => ({
  bot_id: WELL,
  key,
  size: 2140,
  modified_at: back(2 * MINUTE),
  value: {
    cash: 1204.5,
    open: true,
    note: null,
    positions: [
      { symbol: 'AAPL', amount: 10, price: 184.22 },
      { symbol: 'MSFT', amount: -4, price: 402.1 },
    ],
    history: Array.from({ length: 250 }, (_, id) => ({ id })),
  },
});
