import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { KeyScope, type NewApiKey } from '../../contract/account.ts';
import { PlatformError } from '../../contract/errors.ts';
import { DEFAULT_PORT } from '../../contract/limits.ts';
import { assistantIsHere } from '../../isomorphic/assistant-places.ts';
import {
  ASSISTANTS,
  type AssistantName,
  assistantTitle,
  isAssistant,
  KEY_PLACEHOLDER,
  type Machine,
  type Reach,
  setupOf,
} from '../../isomorphic/assistants.ts';
import { didYouMean } from '../../isomorphic/did-you-mean.ts';
import type { Arguments, Client, Command, Context } from '../command.ts';
import { typed } from '../command-name.ts';
import { bundle } from '../connect/bundle.ts';
import { readConfig, withEntry, writeEntry } from '../connect/config-file.ts';
import { type Outcome, outcomeData, showOutcome } from '../connect/show.ts';
import { hostUrl } from '../context.ts';
import { PACKAGE_DIR } from '../resources.ts';
import { UsageError } from '../usage-error.ts';

const PROGRAM = join(PACKAGE_DIR, 'out', 'main', 'platform.js');

const machineOf = (env: NodeJS.ProcessEnv): Machine => ({ os: process.platform, home: homedir(), env });

/** Every assistant with how it connects; those that are on this machine first. */
function overview({ out, env, name }: Context): void {
  const machine = machineOf(env);
  const known = ASSISTANTS.map((assistant) => ({
    ...setupOf(assistant, reachAt('http://127.0.0.1', false, machine), null),
    here: assistantIsHere(assistant, machine, existsSync),
  })).sort((a, b) => Number(b.here) - Number(a.here));
  out.data({
    items: known.map(({ assistant, title, transport, here, file }) => ({ assistant, title, transport, here, file })),
  });
  out.table(
    ['NAME', 'ASSISTANT', 'HERE', 'REACHED BY'],
    known.map(({ assistant, title, transport, here, file }) => [
      assistant,
      title,
      file === null ? '' : here ? 'yes' : 'no',
      transport === 'http' ? 'address' : 'command',
    ]),
  );
  const first = known[0]?.here === true ? known[0].assistant : 'claude-code';
  out.line();
  out.line(`Set one up: ${typed(name, 'connect', first, '--write')}`);
  out.line('It gets a key of its own, which runs bots and cannot touch keys or users.');
}

function reachAt(url: string, extended: boolean, machine: Machine): Reach {
  return { url, extended, machine, program: [process.execPath, PROGRAM], typed: ['platform'], arguments: [] };
}

/** Arguments that lead a program with another environment and folder to the same host. */
function sameHost({ url, env, name, cwd }: Context): string[] {
  const host = url ?? env.PLATFORM_URL ?? '';
  const data = name.data ?? env.PLATFORM_DATA_DIR ?? '';
  return [...(data === '' ? [] : ['--data', resolve(cwd, data)]), ...(host === '' ? [] : ['--url', host])];
}

function reachOf(context: Context, url: string, extended: boolean): Reach {
  const { env, name } = context;
  const program = [process.execPath, PROGRAM];
  // `npx platform` is found only in the folder of the project, where an assistant does not start it.
  const asTyped = name.program === 'platform' ? ['platform'] : program;
  return { ...reachAt(url, extended, machineOf(env)), typed: asTyped, arguments: sameHost(context) };
}

/** The address of a host, or where one would be: what needs no key needs no host that runs. */
async function addressWithoutKey(context: Context): Promise<string> {
  try {
    return await hostUrl(context);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'HOST_UNREACHABLE') return `http://127.0.0.1:${DEFAULT_PORT}`;
    throw error;
  }
}

function assistantOf(text: string): AssistantName {
  if (isAssistant(text)) return text;
  const near = didYouMean(text, ASSISTANTS) ?? ASSISTANTS.find((name) => name.startsWith(text));
  const meant = near === undefined ? '' : ` Did you mean "${near}"?`;
  throw new UsageError(`There is no assistant "${text}".${meant} They are ${ASSISTANTS.join(', ')}.`, 'connect');
}

/** Refuses what does not go together before anything is made. */
function checkOptions(assistant: AssistantName, args: Arguments): void {
  const refuse = (message: string): never => {
    throw new UsageError(message, 'connect');
  };
  const write = args.flag('write');
  const made = args.text('bundle') !== undefined;
  if (made && assistant !== 'claude-desktop') refuse('--bundle is for claude-desktop.');
  if (made && write) refuse('Give --write or --bundle, not both.');
  if (write && assistant === 'generic') refuse('--write needs an assistant whose file is known.');
  for (const option of ['scope', 'bots']) {
    if (args.flag('no-key') && args.text(option) !== undefined)
      refuse(`--${option} says what the key may do; --no-key makes none.`);
  }
}

interface Plan {
  readonly assistant: AssistantName;
  readonly scope: KeyScope;
  readonly bots: string | undefined;
  readonly extended: boolean;
}

async function makeKey(host: Client, { assistant, scope, bots, extended }: Plan): Promise<NewApiKey> {
  const title = assistant === 'generic' ? 'Assistant' : assistantTitle(assistant);
  return host.call('keys.create', {
    name: `${title} on ${hostname()}`.slice(0, 100),
    scope,
    bots: bots === undefined ? undefined : await Promise.all(bots.split(',').map((text) => host.botId(text.trim()))),
    extended: extended ? true : undefined,
  });
}

async function earlierKeys(host: Client, key: NewApiKey): Promise<string[]> {
  const { items } = await host.call('keys.list', {});
  return items
    .filter((one) => one.name === key.name && one.key_id !== key.key_id && one.revoked_at === null)
    .map((one) => one.key_id);
}

/** Asks before a file of another program is changed, after it is known that it can be. */
async function confirmWrite(
  context: Context,
  args: Arguments,
  assistant: AssistantName,
  reach: Reach,
): Promise<string> {
  const setup = setupOf(assistant, reach, null);
  const file = setup.file ?? '';
  if (args.flag('no-key') && setup.snippet.includes(KEY_PLACEHOLDER)) {
    throw new UsageError(`${setup.title} keeps the key in its file: --write cannot go with --no-key.`, 'connect');
  }
  withEntry(readConfig(file), setup, file);
  if (setup.caution !== null && !context.out.json) context.out.note(setup.caution);
  if (!args.flag('yes') && !(await context.confirm(`Add ${setup.server} to ${file}?`))) {
    throw new PlatformError('INVALID_REQUEST', 'Nothing was written', {
      hint: 'Confirm with y, pass -y in a script, or leave out --write to see what to put there.',
    });
  }
  return file;
}

function writeBundle({ cwd }: Context, path: string, reach: Reach): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8'));
  const file = resolve(cwd, path.endsWith('.mcpb') ? path : `${path}.mcpb`);
  const args = ['mcp', ...reach.arguments, ...(reach.extended ? ['--extended'] : [])];
  const { extended, machine } = reach;
  writeFileSync(
    file,
    bundle({ version: String(version), extended, os: machine.os, program: PROGRAM, arguments: args }),
  );
  return file;
}

async function setUp(context: Context, args: Arguments, plan: Plan): Promise<Outcome> {
  const { assistant, extended } = plan;
  const host = args.flag('no-key') ? null : await context.client();
  const reach = reachOf(context, host?.url ?? (await addressWithoutKey(context)), extended);
  const file = args.flag('write') ? await confirmWrite(context, args, assistant, reach) : null;
  const key = host === null ? null : await makeKey(host, plan);
  const setup = setupOf(assistant, reach, key?.key ?? null);
  const path = args.text('bundle');
  try {
    return {
      setup,
      url: `${reach.url}${extended ? '/mcp/extended' : '/mcp'}`,
      key,
      earlier: host === null || key === null ? [] : await earlierKeys(host, key),
      written: file,
      backup: file === null ? null : writeEntry(setup, file),
      bundle: path === undefined ? null : writeBundle(context, path, reach),
    };
  } catch (error) {
    // Nobody ever saw this key.
    if (host !== null && key !== null) await host.call('keys.delete', { key_id: key.key_id });
    throw error;
  }
}

export const command: Command = {
  positionals: ['[assistant]'],
  options: {
    write: { type: 'boolean', help: "Write the assistant's own file; asks first" },
    yes: { type: 'boolean', short: 'y', help: 'Do not ask' },
    scope: { type: 'string', value: 'SCOPE', help: 'deploy (default), read: changes nothing, or full' },
    bots: { type: 'string', value: 'BOT,BOT', help: 'The only bots that it reaches' },
    extended: { type: 'boolean', help: 'The further tools: write, publish, drive custom bots' },
    bundle: { type: 'string', value: 'FILE', help: 'For claude-desktop: write a bundle to open (.mcpb)' },
    'no-key': { type: 'boolean', help: 'Make no key; show a placeholder' },
  },
  description:
    'Lets an AI assistant work with your bots. Makes a key for it alone, which you can revoke, and shows what to put where, or does that with --write. Without a name it lists the assistants.',
  examples: [
    'platform connect',
    'platform connect claude-code --write',
    'platform connect cursor --scope read --bots "sma live"',
    'platform connect claude-desktop --bundle bots.mcpb',
  ],
  async run(context, args) {
    const [named] = args.positionals;
    if (named === undefined) {
      overview(context);
      return 0;
    }
    const assistant = assistantOf(named);
    checkOptions(assistant, args);
    const scope = KeyScope.safeParse(args.text('scope') ?? 'deploy');
    if (!scope.success) throw new UsageError(`--scope is ${KeyScope.options.join(', ')}.`, 'connect');
    const plan = { assistant, scope: scope.data, bots: args.text('bots'), extended: args.flag('extended') };
    const outcome = await setUp(context, args, plan);
    context.out.data(outcomeData(outcome));
    showOutcome(context, outcome);
    return 0;
  },
};
