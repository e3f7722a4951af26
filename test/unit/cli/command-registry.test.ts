import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENTRIES } from '../../../src/cli/command-registry.ts';
import { OPERATIONS, type OperationName } from '../../../src/contract/operations.ts';

const SRC = resolve(import.meta.dirname, '../../../src');

/** The editor's files: a person at a terminal has the folder itself, and another editor. */
const FOLDER = 'the folder itself is worked on';

/**
 * The commands of an operation, or the reason why it has none. Everything the dashboard does must be possible in a
 * terminal, so a reason counts only for what has a meaning in a browser alone.
 */
const COMMANDS_OF: Readonly<Record<OperationName, readonly string[] | string>> = {
  'host.health': 'for whoever watches the host, such as a page that has lost it; `doctor` asks more',
  'host.get': ['doctor', 'stop', 'moved-here', 'isolation list', 'users add', 'bot arm'],
  'host.stop': ['stop'],
  'host.moved_here': ['moved-here'],
  'exceptions.list': ['isolation list', 'isolation end'],
  'exceptions.end': ['isolation end'],
  'host.backups': ['backup'],
  'host.backup': ['backup'],
  'host.storage': ['storage', 'doctor'],
  'host.set_storage': ['storage'],
  'interpreters.list': ['interpreters list'],
  'interpreters.allow': ['interpreters allow'],
  'interpreters.remove': ['interpreters remove'],
  'images.list': ['images list', 'images pull'],
  'images.pull': ['images pull'],
  'auth.status': ['auth login', 'auth password', 'auth status', 'connect', 'pin reset', 'start', 'users password'],
  'auth.login': ['auth login', 'auth password'],
  'auth.link': ['open', 'start', 'serve', 'demo'],
  'auth.enter': 'a browser takes the link that `open` makes',
  'auth.logout': ['auth login', 'auth password'],
  'auth.password': ['auth password'],
  'auth.device_start': ['auth login'],
  'auth.device_poll': ['auth login'],
  'auth.device_approve': ['auth approve'],
  'keys.list': ['keys list', 'keys revoke', 'connect'],
  'keys.get': 'one row of `keys list`',
  'keys.create': ['keys create', 'auth login', 'connect'],
  'keys.delete': ['keys revoke', 'auth login', 'auth logout', 'connect'],
  'sessions.list': ['sessions list'],
  'sessions.end': ['sessions end'],
  'sessions.end_others': ['sessions end-others'],
  'users.list': ['users list', 'sessions list', 'users password', 'users role', 'users remove'],
  'users.get': 'one row of `users list`',
  'users.create': ['users add'],
  'users.update': ['users password', 'users role'],
  'users.delete': ['users remove'],
  'audit.list': ['audit'],
  'secrets.list': ['doctor', 'secrets list', 'secrets new-key'],
  'secrets.set': ['secrets set'],
  'secrets.rotate': ['secrets rotate'],
  'secrets.used_by': ['secrets rotate', 'secrets used-by'],
  'secrets.remove': ['secrets remove'],
  'secrets.recovery_key': ['secrets recovery-key'],
  'secrets.restore_key': ['secrets restore-key'],
  'secrets.new_key': ['secrets new-key'],
  'alarms.channels': ['alarms channels', 'alarms rules', 'alarms test'],
  'alarms.add_channel': ['alarms channels'],
  'alarms.change_channel': ['alarms channels'],
  'alarms.remove_channel': ['alarms channels'],
  'alarms.test_channel': ['alarms test'],
  'alarms.desktop': 'the desktop app follows it; a terminal shows no notifications',
  'alarms.shown': 'the desktop app says it',
  'alarms.rules': ['alarms rules'],
  'alarms.add_rule': ['alarms rules'],
  'alarms.change_rule': ['alarms rules'],
  'alarms.remove_rule': ['alarms rules'],
  'alarms.log': ['alarms log'],
  'alarms.seen': 'the bell of the page counts what has not been seen; a terminal has no bell',
  'alarms.mutes': ['alarms mute'],
  'alarms.mute': ['alarms mute'],
  'alarms.watch': ['alarms watch'],
  'alarms.set_watch': ['alarms watch'],
  'assistants.set_up': '`connect --write` does the same on the machine where it is run',
  'assistants.list': '`connect` looks by itself, at the machine where it is run',
  'preferences.get': ['preferences'],
  'preferences.set': ['preferences'],
  'custom_bots.list': ['custom-bot list'],
  'custom_bots.get': ['custom-bot get', 'custom-bot export', 'custom-bot delete', 'bot deploy', 'bot arm'],
  'custom_bots.schema': ['custom-bot schema', 'custom-bot diff'],
  'custom_bots.files': ['custom-bot files'],
  'custom_bots.file': ['custom-bot files', 'custom-bot diff'],
  'custom_bots.view': 'the dashboard and assistants show it; `custom-bot files --file view/index.html` prints it',
  'custom_bots.diff': ['custom-bot diff'],
  'custom_bots.export': ['custom-bot export'],
  'custom_bots.inspect': ['custom-bot import'],
  'custom_bots.publish': ['custom-bot deploy', 'custom-bot import', 'demo'],
  'custom_bots.validate': '`custom-bot validate` checks the folder itself, without a host',
  'custom_bots.verify': '`custom-bot verify` tries it on a host of its own, without another',
  'custom_bots.delete': ['custom-bot delete'],
  'samples.list': ['samples list', 'samples deploy'],
  'samples.publish': ['samples deploy'],
  'bots.list': [
    'doctor',
    'bot list',
    'custom-bot delete',
    'custom-bot deploy',
    'custom-bot import',
    'ledger',
    'ledger fills',
    'ledger orders',
    'ledger positions',
    'ledger equity',
    'ledger problems',
    'ledger conflicts',
  ],
  'bots.network': ['bot network', 'bot arm'],
  'bots.set_network': ['bot network'],
  'bots.arm': ['bot arm'],
  'approvals.list': ['approvals list'],
  'approvals.get': ['approvals show', 'approvals approve', 'approvals reject'],
  'approvals.approve': ['approvals approve'],
  'approvals.reject': ['approvals reject'],
  'bots.disarm': ['bot disarm'],
  'guards.list': ['guards list', 'guards remove', 'bot arm'],
  'guards.set': ['guards set'],
  'guards.remove': ['guards remove'],
  'pin.get': ['pin'],
  'pin.set': ['pin set'],
  'pin.confirm': 'every command that needs the PIN asks for it in the terminal',
  'pin.reset': ['pin reset'],
  'bots.get': ['bot get', 'bot start', 'bot delete', 'bot update', 'bot diagnose', 'ledger erase', 'bot arm'],
  'bots.activity': '`bot list` tells how bots are, `bot logs --summary` what one of them said',
  'bots.changes': ['bot events'],
  'bots.stats': ['bot stats'],
  'bots.deploy': ['bot deploy', 'demo', 'samples deploy'],
  'bots.update': ['bot update'],
  'bots.delete': ['bot delete'],
  'trash.list': ['trash list', 'trash restore', 'trash empty'],
  'trash.restore': ['trash restore'],
  'trash.empty': ['trash empty'],
  'bots.start': ['bot start'],
  'bots.stop': ['bot stop'],
  'bots.panic': ['panic'],
  'bots.restart': ['bot restart'],
  'bots.run': ['bot run'],
  'bots.query': ['bot query', 'demo'],
  'bots.diagnosis': ['bot diagnose', 'bot get'],
  'bots.events': ['bot events'],
  'bots.stream': ['bot events'],
  'runs.list': ['bot runs'],
  'runs.get': ['bot logs'],
  'runs.failures': ['bot runs'],
  'logs.get': ['bot logs'],
  'logs.summary': ['bot logs'],
  'logs.groups': ['bot logs'],
  'logs.stream': ['bot logs', 'demo'],
  'metrics.get': ['bot metrics'],
  'metrics.list': ['bot metrics', 'bot logs'],
  'metrics.series': ['bot metrics'],
  'ledger.list': ['ledger', 'ledger positions'],
  'ledger.get': ['ledger', 'ledger positions'],
  'ledger.entries': ['ledger fills'],
  'ledger.problems': ['ledger problems'],
  'ledger.orders': ['ledger orders'],
  'ledger.equity': ['ledger equity'],
  'ledger.stream': 'for pages that show books while they change',
  'ledger.conflicts': ['ledger conflicts'],
  'ledger.method': ['ledger method'],
  'ledger.rebuild': ['ledger rebuild'],
  'ledger.erase': ['ledger erase'],
  'ledger.summary': 'for a list of bots, such as that of the dashboard; `ledger` says more of each',
  'state.list': ['bot state'],
  'state.get': ['bot state'],
  'state.set': ['bot state'],
  'state.delete': ['bot state'],
  'projects.list': FOLDER,
  'projects.open': FOLDER,
  'projects.create': `${FOLDER}; \`init\` makes one from a template`,
  'projects.copy_version': FOLDER,
  'projects.forget': FOLDER,
  'projects.instance': FOLDER,
  'projects.tree': FOLDER,
  'projects.read': FOLDER,
  'projects.write': FOLDER,
  'projects.create_folder': FOLDER,
  'projects.rename': FOLDER,
  'projects.delete': FOLDER,
  'projects.search': FOLDER,
  'projects.check': `${FOLDER}; \`custom-bot validate\` checks it`,
  'projects.run': `${FOLDER}; \`dev\` runs it`,
  'projects.stop': `${FOLDER}; \`dev\` ends with Ctrl-C`,
  'projects.publish': `${FOLDER}; \`custom-bot deploy\` publishes it`,
  'projects.changes': FOLDER,
  'projects.published_file': FOLDER,
  'projects.stream': FOLDER,
};

const NAMES = Object.keys(OPERATIONS) as OperationName[];
const text = (path: string): string => readFileSync(path, 'utf8');

/** Operations that a source names: as calls, or by address where there is no connection yet. */
function namedIn(source: string): OperationName[] {
  return NAMES.filter((name) => source.includes(`'${name}'`) || source.includes(`'${OPERATIONS[name].path}'`));
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(SRC, folder, file));

/** Part of every command: it may ask the host for any bot by name, and publishes for one command. */
const SHARED = new Set(['client.ts', 'command.ts', 'context.ts', 'command-registry.ts']);

/** Sources of the command line that a file imports, itself included; other commands do not count. */
function reached(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, to = ''] of text(file).matchAll(/(?:from |import\()'(\.[^']+\.ts)'/g)) {
    const next = resolve(dirname(file), to);
    if (next.startsWith(join(SRC, 'cli')) && !SHARED.has(next.slice(join(SRC, 'cli').length + 1))) reached(next, found);
  }
  return found;
}

const COMMANDS = new Map(
  ENTRIES.map(({ words }) => {
    const file = join(SRC, 'cli/commands', `${words.replaceAll(' ', '-')}.ts`);
    const asked = [...reached(file)].flatMap((one) => namedIn(text(one)));
    return [words, new Set<OperationName>(asked)];
  }),
);
/** These start a host of their own and throw it away; the user's own host is not involved. */
const ON_A_HOST_OF_THEIR_OWN = new Set(['custom-bot verify']);
const onPersonsHost = [...COMMANDS].filter(([words]) => !ON_A_HOST_OF_THEIR_OWN.has(words));
const byDashboard = new Set(sourcesIn('renderer').flatMap((file) => namedIn(text(file))));

describe('what the dashboard does', () => {
  it('goes through operations that this test can find', () => {
    expect(byDashboard.size).toBeGreaterThan(40);
    // The page knows no address of the API besides those of operations.
    const addresses = sourcesIn('renderer').flatMap((file) => [...text(file).matchAll(/'(\/(?:api|bot)\/[^']*)'/g)]);
    const known = new Set<string>([...NAMES.map((name) => OPERATIONS[name].path), '/api/v1/socket']);
    expect(addresses.map((match) => match[1] ?? '').filter((address) => !known.has(address))).toEqual([]);
  });

  it.each(NAMES)('%s has a command that does it, or a reason', (name) => {
    const commands = COMMANDS_OF[name];
    if (typeof commands === 'string') {
      expect(commands).toMatch(/\w/);
      return;
    }
    expect(commands.length).toBeGreaterThan(0);
    // Each named command must call the operation itself.
    expect(commands.filter((words) => COMMANDS.get(words)?.has(name) !== true)).toEqual([]);
  });

  it('covers every operation but those that only a page needs', () => {
    const alone = [...byDashboard].filter((name) => typeof COMMANDS_OF[name] === 'string');
    const named = alone.filter((name) => !name.startsWith('projects.'));
    expect(named.sort()).toEqual([
      'alarms.seen',
      'assistants.list',
      'assistants.set_up',
      'auth.enter',
      'custom_bots.view',
      'host.health',
      'ledger.stream',
      'ledger.summary',
      'pin.confirm',
    ]);
  });

  it.each(onPersonsHost)('%s is named with every operation that it asks for', (words, asked) => {
    const missing = [...asked].filter((name) => {
      const commands = COMMANDS_OF[name];
      return typeof commands === 'string' || !commands.includes(words);
    });
    expect(missing).toEqual([]);
  });
});
