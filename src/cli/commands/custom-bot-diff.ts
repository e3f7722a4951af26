import type { Output as Answer } from '../../contract/operations.ts';
import { diffLines, type Hunk, hunkHead, hunks } from '../../shared/line-diff.ts';
import { schemaChanges } from '../../shared/schema-changes.ts';
import type { Client, Command, Output } from '../command.ts';
import { type Colour, paint, printable } from '../terminal-text.ts';
import { fileLine, MARKS, settingLine, sizes } from '../version-change-lines.ts';

type Diff = Answer<'custom_bots.diff'>;
type Change = Diff['items'][number];

const SIGNS = { added: '+', removed: '-', same: ' ' } as const;
const COLOURS: Readonly<Record<string, Colour>> = { added: 'green', removed: 'red' };
/** Most files whose lines are shown; for more, only names. */
const MOST_FILES = 50;

function showHunk(out: Output, hunk: Hunk): void {
  const coloured = (text: string, colour: Colour | undefined): string =>
    colour === undefined ? text : paint(out.colours, colour, text);
  out.line(coloured(hunkHead(hunk), 'cyan'));
  for (const { kind, text } of hunk.lines) out.line(coloured(`${SIGNS[kind]}${printable(text)}`, COLOURS[kind]));
}

async function showFile(host: Client, out: Output, { name, from, to }: Diff, change: Change): Promise<void> {
  const { path } = change;
  const read = (version: string, there: unknown) =>
    there === null ? null : host.call('custom_bots.file', { name, version, path });
  const [before, after] = await Promise.all([read(from, change.before), read(to, change.after)]);
  out.line();
  out.line(paint(out.colours, 'bold', `${MARKS[change.kind]} ${printable(path)}  (${sizes(change)})`));
  if (before?.text === null || after?.text === null) return out.line('It is not a text file.');
  for (const hunk of hunks(diffLines(before?.text ?? '', after?.text ?? ''))) showHunk(out, hunk);
  if (change.before !== null && change.after !== null && change.before.executable !== change.after.executable)
    out.line(change.after.executable ? 'It is executable now.' : 'It is no longer executable.');
  if (before?.truncated === true || after?.truncated === true)
    out.line('Only its beginning was compared line by line.');
}

export const command: Command = {
  positionals: ['<name>', '<from>', '<to>'],
  options: {
    file: { type: 'string', value: 'PATH', help: 'Show this file only' },
    names: { type: 'boolean', help: 'Name the files, without their lines' },
  },
  description: 'Shows what is different between two versions: settings, files and their lines.',
  examples: ['platform custom-bot diff sma-crossover 1.0.0 1.1.0'],
  async run({ client, out }, args) {
    const [name = '', from = '', to = ''] = args.positionals;
    const only = args.text('file');
    const host = await client();
    const [diff, before, after] = await Promise.all([
      host.call('custom_bots.diff', { name, from, to }),
      host.call('custom_bots.schema', { name, version: from }),
      host.call('custom_bots.schema', { name, version: to }),
    ]);
    const settings = schemaChanges(before.schema, after.schema);
    const items = only === undefined ? diff.items : diff.items.filter(({ path }) => path === only);
    out.data({ ...diff, items, settings });
    if (out.json) return 0;
    if (settings.length > 0 && only === undefined) {
      out.line('Settings');
      for (const one of settings) out.line(settingLine(one));
      out.line();
    }
    if (items.length === 0) out.line(only === undefined ? 'All files are the same.' : 'The file is the same.');
    else out.line(`${diff.total} file${diff.total === 1 ? ' is' : 's are'} different.`);
    const lines = args.flag('names') ? [] : items.slice(0, MOST_FILES);
    for (const one of lines) await showFile(host, out, diff, one);
    const rest = items.slice(lines.length);
    if (lines.length > 0 && rest.length > 0) out.line();
    for (const one of rest) out.line(fileLine(one));
    if (diff.total > diff.items.length) out.note(`The first ${diff.items.length} of ${diff.total} differences.`);
    return 0;
  },
};
