import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { KeyScope } from '../../contract/account.ts';
import { PlatformError } from '../../contract/errors.ts';
import { DEFAULT_PORT } from '../../contract/limits.ts';
import { readConfig, withEntries, writeEntries } from '../../node/assistant-file.ts';
import { assistantIsHere } from '../../shared/assistant-places.ts';
import {
  ASSISTANTS,
  type AssistantName,
  isAssistant,
  KEY_PLACEHOLDER,
  type Machine,
  type Reach,
  type Setup,
  setupOf,
  setupsOf,
  snippetOf,
} from '../../shared/assistants.ts';
import { didYouMean } from '../../shared/did-you-mean.ts';
import type { Arguments, Command, Context } from '../command.ts';
import { fittingKeys, type HeldKeys, heldKeys, keyTitle, makeKey } from '../connect/assistant-keys.ts';
import { bundle } from '../connect/bundle.ts';
import { type Outcome, outcomeData, showOutcome } from '../connect/show-outcome.ts';
import { hostUrl } from '../context.ts';
import { typed } from '../copyable-command.ts';
import { PACKAGE_DIR } from '../product-paths.ts';
import { UsageError } from '../usage-error.ts';

const PROGRAM = join(PACKAGE_DIR, 'out', 'main', 'platform.js');

const machineOf = (env: NodeJS.ProcessEnv): Machine => ({
  os: process.platform,
  home: homedir(),
  env,
  exists: existsSync,
});

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
  out.line('That makes a key of its own, which runs bots and cannot touch keys or users.');
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

/** The address of a host, or where one would be: a setup without a key needs no running host. */
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

/** Refuses contradictory options before anything is made. */
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

/** The bots that the key reaches, as they were named; null: all. */
const botNames = (args: Arguments): string[] | null =>
  args
    .text('bots')
    ?.split(',')
    .map((text) => text.trim()) ?? null;

/** The arguments of `keys create` that make the key that was asked for. */
function keyArguments(assistant: AssistantName, scope: KeyScope, args: Arguments): string[] {
  const bots = botNames(args);
  return [
    ...[keyTitle(assistant), '--scope', scope],
    ...(bots === null ? [] : ['--bots', bots.join(',')]),
    ...(args.flag('extended') ? ['--extended'] : []),
  ];
}

/** Asks before a file of another program is changed, once a check has shown that it can be. */
async function confirmWrite(context: Context, args: Arguments, setups: readonly [Setup, ...Setup[]]): Promise<string> {
  const [setup] = setups;
  const file = setup.file ?? '';
  if (args.flag('no-key') && snippetOf(setups).includes(KEY_PLACEHOLDER)) {
    throw new UsageError(`${setup.title} keeps the key in its file: --write cannot go with --no-key.`, 'connect');
  }
  withEntries(readConfig(file), setups, file);
  if (setup.caution !== null && !context.out.json) context.out.note(setup.caution);
  const names = setups.map(({ server }) => server).join(' and ');
  if (!args.flag('yes') && !(await context.confirm(`Add ${names} to ${file}?`))) {
    throw new PlatformError('INVALID_REQUEST', 'Nothing was written', {
      hint: 'Confirm with y, pass -y in a script, or leave out --write to see what to put there.',
    });
  }
  return file;
}

/** Writes a bundle for each server; gives the files. */
function writeBundles({ cwd }: Context, path: string, reach: Reach): string[] {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8'));
  const stem = resolve(cwd, path.replace(/\.mcpb$/, ''));
  return (reach.extended ? [false, true] : [false]).map((extended) => {
    const file = `${stem}${extended ? '-extended' : ''}.mcpb`;
    const args = ['mcp', ...reach.arguments, ...(extended ? ['--extended'] : [])];
    const { os } = reach.machine;
    writeFileSync(file, bundle({ version: String(version), extended, os, program: PROGRAM, arguments: args }));
    return file;
  });
}

/** Shows what to put where, without making a key: a key that is only shown would be left behind once the window is closed. */
async function show(context: Context, args: Arguments, assistant: AssistantName, scope: KeyScope): Promise<Outcome> {
  const reach = reachOf(context, await addressWithoutKey(context), args.flag('extended'));
  const path = args.text('bundle');
  const keyless = args.flag('no-key');
  return {
    setups: setupsOf(assistant, reach, keyless ? null : KEY_PLACEHOLDER),
    makeKey: typed(context.name, 'keys create', ...keyArguments(assistant, scope, args)),
    keyless,
    key: null,
    kept: [],
    replaced: false,
    written: null,
    backup: null,
    bundles: path === undefined ? [] : writeBundles(context, path, reach),
  };
}

/** Writes the assistant's file: keeps its keys where they suffice, else makes a new one. */
async function write(context: Context, args: Arguments, assistant: AssistantName, scope: KeyScope): Promise<Outcome> {
  const extended = args.flag('extended');
  const keyless = args.flag('no-key');
  const host = keyless ? null : await context.client();
  const named = botNames(args);
  const bots = host === null || named === null ? null : await Promise.all(named.map((text) => host.botId(text)));
  const plan = { assistant, scope, bots, extended };
  const reach = reachOf(context, host?.url ?? (await addressWithoutKey(context)), extended);
  const file = await confirmWrite(context, args, setupsOf(assistant, reach, null));
  const plain = setupsOf(assistant, reach, null);
  const held: HeldKeys = host === null ? new Map() : await heldKeys(host, readConfig(file), plain, file, plan);
  const kept: HeldKeys = host === null ? new Map() : await fittingKeys(host, held, plan);
  const key = host === null || plain.every(({ server }) => kept.has(server)) ? null : await makeKey(host, plan);
  const setups = plain.map(({ server, endpoint }) =>
    setupOf(
      assistant,
      { ...reach, extended: endpoint.endsWith('/extended') },
      kept.get(server)?.text ?? key?.key ?? null,
      kept.has(server) ? (kept.get(server)?.askedId ?? null) : (key?.key_id ?? null),
    ),
  );
  try {
    return {
      setups,
      makeKey: null,
      keyless,
      key,
      kept: [...new Map([...kept.values()].map(({ record }) => [record.key_id, record])).values()],
      replaced: [...held.keys()].some((server) => !kept.has(server)),
      written: file,
      backup: writeEntries(setups, file),
      bundles: [],
    };
  } catch (error) {
    // This key was never shown.
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
    extended: { type: 'boolean', help: 'A second server as well: write, publish, drive custom bots' },
    bundle: { type: 'string', value: 'FILE', help: 'For claude-desktop: write a bundle to open (.mcpb)' },
    'no-key': { type: 'boolean', help: 'No key of its own: by your log-in, where it starts a command' },
  },
  description:
    'Lets an AI assistant work with your bots. Shows what to put where; with --write it puts it there, with a key for that assistant alone, which you can revoke. Without --write no key is made. Without a name it lists the assistants.',
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
    const setUp = args.flag('write') ? write : show;
    const outcome = await setUp(context, args, assistant, scope.data);
    context.out.data(outcomeData(outcome));
    showOutcome(context, outcome);
    return 0;
  },
};
