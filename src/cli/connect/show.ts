import type { NewApiKey } from '../../contract/account.ts';
import { KEY_PLACEHOLDER, type Setup } from '../../isomorphic/assistants.ts';
import type { Context } from '../command.ts';
import { quoted, typed } from '../command-name.ts';
import { paint, printable } from '../text.ts';

/** What came of setting an assistant up. */
export interface Outcome {
  readonly setup: Setup;
  /** Address of the endpoint. */
  readonly url: string;
  readonly key: NewApiKey | null;
  /** Keys of the same name that are still valid, of an earlier time. */
  readonly earlier: readonly string[];
  /** The file that was written; null where only shown. */
  readonly written: string | null;
  readonly backup: string | null;
  readonly bundle: string | null;
}

type Shown = Pick<Context, 'out' | 'name'>;

/** A key is told to a person only where no file has it. */
function tellsKey({ setup, written }: Outcome): boolean {
  return written === null || setup.keyIn === 'question';
}

/** The outcome as JSON; without the key where a file has it. */
export function outcomeData(outcome: Outcome): object {
  const { setup, url, key, earlier, written, backup, bundle } = outcome;
  const { entry, lists, path, keyIn, snippet, ...rest } = setup;
  const { key: secret, ...record } = key ?? { key: null };
  const shown = key === null ? null : tellsKey(outcome) ? { ...record, key: secret } : record;
  return { ...rest, url, snippet: written === null ? snippet : null, key: shown, earlier, written, backup, bundle };
}

function rows({ out }: Shown, pairs: readonly (readonly [string, string])[]): void {
  for (const [name, value] of pairs) out.line(`  ${paint(out.colours, 'dim', name.padEnd(9))}${value}`);
}

function keyWords(key: NewApiKey): string {
  const bots = key.bots === null ? 'all bots' : `${key.bots.length} ${key.bots.length === 1 ? 'bot' : 'bots'}`;
  return `${printable(key.name)}: ${key.scope}${key.extended ? ' + extended' : ''}, ${bots}`;
}

function revokeRow({ name }: Shown, { key }: Outcome): [string, string][] {
  return key === null ? [] : [['Revoke', typed(name, 'keys revoke', key.key_id)]];
}

function showWritten(context: Shown, outcome: Outcome): void {
  const { out } = context;
  const { setup, key, written, backup } = outcome;
  out.line(paint(out.colours, 'bold', `${setup.title} is set up for your bots.`));
  rows(context, [
    ['File', written ?? ''],
    ...(backup === null ? [] : [['Before', backup] as const]),
    ...(key === null ? [] : [['Key', keyWords(key)] as const]),
    ...revokeRow(context, outcome),
    ['Next', setup.next],
    ['Ask it', 'Which bots do I have, and is any of them unwell?'],
  ]);
}

function showBundle(context: Shown, outcome: Outcome): void {
  const { out } = context;
  out.line(paint(out.colours, 'bold', 'The bundle is written. It holds no key.'));
  rows(context, [
    ['File', outcome.bundle ?? ''],
    ...(outcome.key === null ? [] : [['Key', keyWords(outcome.key)] as const]),
    ...revokeRow(context, outcome),
    ['Next', 'Open the file with Claude Desktop, and paste the key when it asks.'],
  ]);
}

function showSteps(context: Shown, outcome: Outcome): void {
  const { out, name } = context;
  const { setup, key } = outcome;
  out.line(paint(out.colours, 'bold', setup.file === null ? 'Add this to its file:' : `Add this to ${setup.file}:`));
  out.line();
  out.line(setup.snippet.trimEnd());
  out.line();
  rows(context, [
    ...(key === null ? [] : [['Key', keyWords(key)] as const]),
    ...revokeRow(context, outcome),
    ...(setup.caution === null ? [] : [['Mind', setup.caution] as const]),
    ['Next', setup.next],
    ...setup.notes.map((note) => ['Note', note] as const),
    ...(setup.file === null ? [] : [['Shorter', typed(name, 'connect', setup.assistant, '--write')] as const]),
  ]);
  if (setup.link !== null) {
    out.line();
    out.line('Or open this link, and put the key in there:');
    out.line(`  ${setup.link}`);
  }
  if (setup.run !== null) {
    out.line();
    out.line('Or, without a key of its own, by your own log-in with all your rights:');
    out.line(`  ${setup.run.map((part) => quoted(part)).join(' ')}`);
  }
}

/** Addresses without the host's own form, for an assistant that we do not know. */
function showAddress(context: Shown, { setup, url, key }: Outcome): void {
  if (setup.assistant !== 'generic') return;
  context.out.line();
  context.out.line('Or, for one that takes an address:');
  rows(context, [
    ['Address', url],
    ['Header', `x-api-key: ${key === null ? KEY_PLACEHOLDER : 'the key above'}`],
  ]);
}

/** Tells people what was done, or what to do. */
export function showOutcome(context: Shown, outcome: Outcome): void {
  const { out, name } = context;
  const { setup, key, earlier, written, bundle } = outcome;
  if (bundle !== null) showBundle(context, outcome);
  else if (written !== null) showWritten(context, outcome);
  else showSteps(context, outcome);
  if (written === null && bundle === null) showAddress(context, outcome);
  if (key !== null && (bundle !== null || setup.keyIn === 'question')) {
    out.line();
    out.line(key.key);
  }
  if (out.json) return;
  if (key !== null && tellsKey(outcome)) out.note('Keep the key now: it is not shown again.');
  for (const id of earlier)
    out.note(`An earlier key of this name is still valid. Revoke it: ${typed(name, 'keys revoke', id)}`);
  if (key === null && setup.snippet.includes(KEY_PLACEHOLDER)) {
    out.note(
      `Put a key in place of ${KEY_PLACEHOLDER}: ${typed(name, 'keys create', setup.title, '--scope', 'deploy')}`,
    );
  }
}
