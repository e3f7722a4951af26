import { createReadStream, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { invalid, PlatformError } from '../../contract/errors.ts';
import type { Output as Answer, Input, UploadName } from '../../contract/operations.ts';
import { problemLine } from '../../project/read-project.ts';
import { formatBytes } from '../../shared/format-quantity.ts';
import { nextStepsOfPackage } from '../after-publish.ts';
import type { Command, Output } from '../command.ts';
import { quoted } from '../copyable-command.ts';
import { sheetLines } from '../show-install-sheet.ts';
import { paint, printable } from '../terminal-text.ts';
import { fileLine, settingLine } from '../version-change-lines.ts';

type Preview = Answer<'custom_bots.inspect'>;

const MOST_FILES = 20;

/** Refuses anything but a file, quoting the path as given. */
function checkFile(file: string, given: string): Stats {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return stats;
  const [message, hint] =
    stats?.isDirectory() === true
      ? ['is a folder', `\`platform custom-bot deploy ${quoted(given)}\` publishes the folder of a project.`]
      : ['there is no such file', 'Give the path of a package (.tar.gz or .zip).'];
  throw invalid('INVALID_REQUEST', [{ path: given, message, hint }]);
}

function showChanges(out: Output, changes: NonNullable<Preview['changes']>): void {
  const { from, items, total, settings } = changes;
  if (total === 0) {
    out.line(`All files are the same as in ${from}.`);
    return;
  }
  for (const one of settings) out.line(settingLine(one));
  if (settings.length > 0) out.line();
  out.line(`${total} file${total === 1 ? ' is' : 's are'} different from ${from}:`);
  for (const one of items.slice(0, MOST_FILES)) out.line(fileLine(one));
  if (total > MOST_FILES) out.line(`  and ${total - MOST_FILES} more`);
}

/** What a package holds, before it is published. */
function show(out: Output, { custom_bot, changes, warnings }: Preview): void {
  const { name, version, description, author, files, size_bytes, hash, install_sheet } = custom_bot;
  for (const warning of warnings) out.note(`warning: ${problemLine(warning)}`);
  const by = author === '' ? '' : `  by ${printable(author)}`;
  out.line(`${paint(out.colours, 'bold', name)} ${version}  ${printable(description)}${by}`);
  out.line(`  ${files} files, ${formatBytes(size_bytes)}`);
  out.line(`  content hash ${hash}`);
  out.line();
  for (const line of sheetLines(install_sheet)) out.line(line);
  out.line();
  if (changes === null) out.line(`There is no version of ${name} below it here to compare it with.`);
  else showChanges(out, changes);
}

export const command: Command = {
  positionals: ['<file>'],
  options: {
    hash: { type: 'string', value: 'HASH', help: 'The content hash that the package must have, as its maker names it' },
    yes: { type: 'boolean', short: 'y', help: 'Do not ask' },
  },
  description:
    'Publishes a package that you got from others: a .tar.gz of `custom-bot export`, or a .zip or .tar of a project. Shows first what it asks for and what is different from the version before; no bot runs it until you deploy one.',
  examples: [
    'platform custom-bot import sma-crossover-1.0.0.tar.gz',
    'platform custom-bot import ~/Downloads/my-bot.zip -y',
  ],
  async run(context, args) {
    const { client, cwd, out, confirm } = context;
    const [given = ''] = args.positionals;
    const file = resolve(cwd, given);
    const { size } = checkFile(file, given);
    const wanted = args.text('hash')?.toLowerCase();
    const host = await client();
    const progress = out.progress();
    const send = <N extends UploadName>(name: N, input: Input<N>): Promise<Answer<N>> =>
      host
        .upload(name, input, createReadStream(file), (sent) => {
          progress.update(`Sending ${formatBytes(size)}`, size === 0 ? null : sent / size);
        })
        .finally(() => progress.done());
    const preview = await send('custom_bots.inspect', {});
    const { name, version, hash } = preview.custom_bot;
    show(out, preview);
    if (wanted !== undefined && wanted !== hash) {
      throw new PlatformError('INVALID_PACKAGE', `The package has the content hash ${hash}, not ${wanted}`, {
        hint: 'Get the package again from whoever made it, and compare the hash that they name.',
      });
    }
    if (!preview.published && !args.flag('yes') && !(await confirm(`Publish ${name} ${version}?`))) {
      throw new PlatformError('INVALID_REQUEST', 'Nothing was published', {
        hint: 'Confirm with y, or pass -y in a script.',
      });
    }
    // What was shown is what is published, even if another program writes the file meanwhile.
    const { custom_bot, created } = await send('custom_bots.publish', { hash });
    out.data({ ...preview, custom_bot, created });
    out.line();
    out.line(
      created ? `Published ${name} ${version}.` : `${name} ${version} is published already, with the same content.`,
    );
    if (!out.json) {
      const { items } = await host.call('bots.list', {});
      for (const line of nextStepsOfPackage(context, custom_bot, items)) out.line(line);
    }
    return 0;
  },
};
