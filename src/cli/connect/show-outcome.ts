import type { ApiKey, NewApiKey } from '../../contract/account.ts';
import { KEY_PLACEHOLDER, type Setup, snippetOf } from '../../shared/assistants.ts';
import type { Context } from '../command.ts';
import { quoted, typed } from '../copyable-command.ts';
import { paint, printable } from '../terminal-text.ts';

/** Result of setting up an assistant. */
export interface Outcome {
  /** One for each server that the assistant gets. */
  readonly setups: readonly Setup[];
  /** The command that makes the key; null if one was made or none is needed. */
  readonly makeKey: string | null;
  /** True if the user asked for a setup without a key. */
  readonly keyless: boolean;
  /** The key that was made. */
  readonly key: NewApiKey | null;
  /** Keys that the file had and keeps. */
  readonly kept: readonly ApiKey[];
  /** True if the file had another valid key in these entries and has lost it. */
  readonly replaced: boolean;
  /** The written file; null where the file was only shown. */
  readonly written: string | null;
  readonly backup: string | null;
  readonly bundles: readonly string[];
}

type Shown = Pick<Context, 'out' | 'name'>;

const asks = ({ setups }: Outcome): boolean => setups.some(({ keyIn }) => keyIn === 'question');

/** The outcome as JSON; without the key where a file has it. */
export function outcomeData(outcome: Outcome): object {
  const { setups, key, kept, replaced, written, backup, bundles, makeKey } = outcome;
  const [setup] = setups;
  const { key: secret, ...record } = key ?? { key: null };
  return {
    assistant: setup?.assistant,
    title: setup?.title,
    file: setup?.file,
    servers: setups.map(({ server, endpoint, transport, path, link, run }) => {
      return { server, url: endpoint, transport, path, link, run };
    }),
    snippet: written === null ? snippetOf(setups) : null,
    key: key === null ? null : asks(outcome) ? { ...record, key: secret } : record,
    kept,
    replaced,
    make_key: makeKey,
    next: setup?.next,
    notes: setup?.notes,
    written,
    backup,
    bundles,
  };
}

function rows({ out }: Shown, pairs: readonly (readonly [string, string])[]): void {
  for (const [name, value] of pairs) out.line(`  ${paint(out.colours, 'dim', name.padEnd(9))}${value}`);
}

function keyWords(key: ApiKey): string {
  const bots = key.bots === null ? 'all bots' : `${key.bots.length} ${key.bots.length === 1 ? 'bot' : 'bots'}`;
  return `${printable(key.name)}: ${key.scope}${key.extended ? ' + extended' : ''}, ${bots}`;
}

function showWritten(context: Shown, outcome: Outcome, setup: Setup): void {
  const { out, name } = context;
  const { key, kept, written, backup } = outcome;
  out.line(paint(out.colours, 'bold', `${setup.title} is set up for your bots.`));
  rows(context, [
    ['File', written ?? ''],
    ...(backup === null ? [] : [['Before', backup] as const]),
    ...kept.map((one) => ['Key', `${keyWords(one)} (the one it had)`] as const),
    ...(key === null ? [] : [['Key', keyWords(key)] as const]),
    ...(key === null ? [] : [['Revoke', typed(name, 'keys revoke', key.key_id)] as const]),
    ['Next', setup.next],
    ['Ask it', 'Which bots do I have, and is any of them unwell?'],
  ]);
}

function showBundles(context: Shown, { bundles }: Outcome): void {
  const { out } = context;
  const one = bundles.length === 1;
  out.line(paint(out.colours, 'bold', one ? 'The bundle is written. It holds no key.' : 'The bundles hold no key.'));
  rows(context, [
    ...bundles.map((file) => ['File', file] as const),
    ['Next', `Open ${one ? 'it' : 'each'} with Claude Desktop, and paste a key when it asks.`],
  ]);
}

function showSteps(context: Shown, { setups }: Outcome, setup: Setup): void {
  const { out, name } = context;
  out.line(paint(out.colours, 'bold', setup.file === null ? 'Add this to its file:' : `Add this to ${setup.file}:`));
  out.line();
  out.line(snippetOf(setups).trimEnd());
  out.line();
  rows(context, [
    ...(setup.caution === null ? [] : [['Mind', setup.caution] as const]),
    ['Next', setup.next],
    ...setup.notes.map((note) => ['Note', note] as const),
    ...(setup.file === null ? [] : [['Shorter', typed(name, 'connect', setup.assistant, '--write')] as const]),
  ]);
  const links = setups.flatMap(({ link }) => (link === null ? [] : [link]));
  if (links.length > 0) {
    out.line();
    out.line(`Or open ${links.length === 1 ? 'this link' : 'these links'}, and put the key in there:`);
    for (const link of links) out.line(`  ${link}`);
  }
  const runs = setups.flatMap(({ run }) => (run === null ? [] : [run]));
  if (runs.length > 0) {
    out.line();
    out.line('Or, without a key of its own, by your own log-in with all your rights:');
    for (const run of runs) out.line(`  ${run.map((part) => quoted(part)).join(' ')}`);
  }
}

/** Shows the addresses without the host's own form, for an assistant that we do not know. */
function showAddress(context: Shown, { setups }: Outcome, setup: Setup): void {
  if (setup.assistant !== 'generic') return;
  context.out.line();
  context.out.line('Or, for one that takes an address:');
  rows(context, [
    ...setups.map(({ endpoint }) => ['Address', endpoint] as const),
    ['Header', `x-api-key: ${KEY_PLACEHOLDER}`],
  ]);
}

const keyArguments = ({ name, scope, bots, extended }: ApiKey): string[] => [
  ...[name, '--scope', scope],
  ...(bots === null ? [] : ['--bots', bots.join(',')]),
  ...(extended ? ['--extended'] : []),
];

/** Notes about keys. Never names a key that may be in use: only its owner knows that. */
function showKeyNotes({ out, name }: Shown, outcome: Outcome): void {
  const { setups, key, kept, replaced, makeKey, keyless } = outcome;
  if (key !== null && asks(outcome)) out.note('Keep the key now: it is not shown again.');
  const [had] = kept;
  if (asks(outcome) && key === null && had !== undefined) {
    const again = typed(name, 'keys create', ...keyArguments(had));
    out.note(`${setups[0]?.title} keeps its key itself, so none was made. If it has lost it: ${again}`);
  }
  if (replaced) {
    const until = asks(outcome) ? 'until it asks for the new one' : 'until the assistant restarts';
    out.note(
      `The key that it had before is still valid, and in use ${until}. ${typed(name, 'keys list')} then tells when each key was last used.`,
    );
  }
  const needed = snippetOf(setups).includes(KEY_PLACEHOLDER);
  if (makeKey !== null && (needed || !keyless)) {
    out.note(`No key was made. ${needed ? `For ${KEY_PLACEHOLDER}` : 'When it asks for one'}: ${makeKey}`);
  }
}

/** Reports the result to people, or the next step. */
export function showOutcome(context: Shown, outcome: Outcome): void {
  const { out } = context;
  const { setups, key, written, bundles } = outcome;
  const [setup] = setups;
  if (setup === undefined) return;
  if (bundles.length > 0) showBundles(context, outcome);
  else if (written !== null) showWritten(context, outcome, setup);
  else showSteps(context, outcome, setup);
  if (written === null && bundles.length === 0) showAddress(context, outcome, setup);
  if (key !== null && asks(outcome)) {
    out.line();
    out.line(key.key);
  }
  if (!out.json) showKeyNotes(context, outcome);
}
