import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENTRIES } from '../../src/cli/registry.ts';
import { OPERATIONS, type OperationName } from '../../src/contract/operations.ts';

const SRC = resolve(import.meta.dirname, '../../src');

/** The editor's files: whoever works in a terminal has the folder itself, and an editor of their own. */
const FOLDER = 'the folder itself is worked on';

/**
 * The commands that do what an operation does; in words, why there is none. What the dashboard does must be there for
 * whoever works in a terminal (experience.md), so a reason is only for what has a meaning in a browser alone.
 */
const TWINS: Readonly<Record<OperationName, readonly string[] | string>> = {
  'host.health': 'for whoever watches the host, such as a page that has lost it; `doctor` asks more',
  'host.get': ['doctor', 'stop'],
  'host.stop': ['stop'],
  'host.backups': ['backup'],
  'host.backup': ['backup'],
  'host.storage': ['storage', 'doctor'],
  'host.set_storage': ['storage'],
  'images.list': ['images list', 'images pull'],
  'images.pull': ['images pull'],
  'auth.status': ['auth login', 'auth status', 'start'],
  'auth.login': ['auth login'],
  'auth.link': ['open', 'start', 'serve', 'demo'],
  'auth.enter': 'a browser takes the link that `open` makes',
  'auth.logout': ['auth login'],
  'auth.password': ['auth password'],
  'auth.device_start': ['auth login'],
  'auth.device_poll': ['auth login'],
  'auth.device_approve': ['auth approve'],
  'keys.list': ['keys list', 'keys revoke', 'connect'],
  'keys.get': 'one row of `keys list`',
  'keys.create': ['keys create', 'auth login', 'connect'],
  'keys.delete': ['keys revoke', 'auth login', 'auth logout', 'connect'],
  'users.list': ['users list', 'users password', 'users role', 'users remove'],
  'users.get': 'one row of `users list`',
  'users.create': ['users add'],
  'users.update': ['users password', 'users role'],
  'users.delete': ['users remove'],
  'audit.list': ['audit'],
  'assistants.list': '`connect` looks by itself, at the machine where it is run',
  'preferences.get': ['preferences'],
  'preferences.set': ['preferences'],
  'custom_bots.list': ['custom-bot list'],
  'custom_bots.get': ['custom-bot get', 'custom-bot delete'],
  'custom_bots.schema': ['custom-bot schema', 'custom-bot diff'],
  'custom_bots.files': ['custom-bot files'],
  'custom_bots.file': ['custom-bot files', 'custom-bot diff'],
  'custom_bots.diff': ['custom-bot diff'],
  'custom_bots.publish': ['custom-bot deploy', 'demo'],
  'custom_bots.validate': '`custom-bot validate` checks the folder itself, without a host',
  'custom_bots.delete': ['custom-bot delete'],
  'samples.list': ['samples list', 'samples deploy'],
  'samples.publish': ['samples deploy'],
  'bots.list': ['bot list', 'custom-bot delete', 'custom-bot deploy'],
  'bots.get': ['bot get', 'bot delete', 'bot update'],
  'bots.stats': ['bot stats'],
  'bots.deploy': ['bot deploy', 'demo', 'samples deploy'],
  'bots.update': ['bot update'],
  'bots.delete': ['bot delete'],
  'bots.start': ['bot start'],
  'bots.stop': ['bot stop'],
  'bots.restart': ['bot restart'],
  'bots.run': ['bot run'],
  'bots.query': ['bot query', 'demo'],
  'bots.diagnosis': ['bot diagnose', 'bot get'],
  'bots.events': ['bot events'],
  'bots.stream': ['bot events'],
  'runs.list': ['bot runs'],
  'runs.get': ['bot logs'],
  'logs.get': ['bot logs'],
  'logs.summary': ['bot logs'],
  'logs.stream': ['bot logs', 'demo'],
  'metrics.get': ['bot metrics'],
  'metrics.list': ['bot metrics', 'bot logs'],
  'metrics.series': ['bot metrics'],
  'state.list': ['bot state'],
  'state.get': ['bot state'],
  'state.set': ['bot state'],
  'state.delete': ['bot state'],
  'projects.list': FOLDER,
  'projects.open': FOLDER,
  'projects.create': `${FOLDER}; \`init\` makes one from a template`,
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

/** Operations that a source names: as calls, or by their address where there is no connection yet. */
function namedIn(source: string): OperationName[] {
  return NAMES.filter((name) => source.includes(`'${name}'`) || source.includes(`'${OPERATIONS[name].path}'`));
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(SRC, folder, file));

/** What every command is given: it may ask the host for any bot by name, and publishes for one command. */
const SHARED = new Set(['client.ts', 'command.ts', 'context.ts', 'registry.ts']);

/** Sources of the command line that a file leads to, itself included; other commands are no part of it. */
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
/** These ask a host that they start for themselves and throw away: nothing of a person's own host is looked at or done. */
const ON_A_HOST_OF_THEIR_OWN = new Set(['custom-bot verify']);
const onPersonsHost = [...COMMANDS].filter(([words]) => !ON_A_HOST_OF_THEIR_OWN.has(words));
const byDashboard = new Set(sourcesIn('renderer').flatMap((file) => namedIn(text(file))));

describe('what the dashboard does', () => {
  it('goes through operations that this test can find', () => {
    expect(byDashboard.size).toBeGreaterThan(40);
    // Nothing else is asked for: the page knows no address of the API beside those of operations.
    const addresses = sourcesIn('renderer').flatMap((file) => [...text(file).matchAll(/'(\/(?:api|bot)\/[^']*)'/g)]);
    const known = new Set<string>([...NAMES.map((name) => OPERATIONS[name].path), '/api/v1/socket']);
    expect(addresses.map((match) => match[1] ?? '').filter((address) => !known.has(address))).toEqual([]);
  });

  it.each(NAMES)('%s has a command that does it, or a reason', (name) => {
    const twins = TWINS[name];
    if (typeof twins === 'string') {
      expect(twins).toMatch(/\w/);
      return;
    }
    expect(twins.length).toBeGreaterThan(0);
    // By the right command, not by any: each one named asks for the operation itself.
    expect(twins.filter((words) => COMMANDS.get(words)?.has(name) !== true)).toEqual([]);
  });

  it('has twins for all but what only a page needs to ask', () => {
    const alone = [...byDashboard].filter((name) => typeof TWINS[name] === 'string');
    const named = alone.filter((name) => !name.startsWith('projects.'));
    expect(named.sort()).toEqual(['assistants.list', 'auth.enter', 'host.health']);
  });

  it.each(onPersonsHost)('%s is named with every operation that it asks for', (words, asked) => {
    const missing = [...asked].filter((name) => {
      const twins = TWINS[name];
      return typeof twins === 'string' || !twins.includes(words);
    });
    expect(missing).toEqual([]);
  });
});
