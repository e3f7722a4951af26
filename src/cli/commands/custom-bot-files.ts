import { formatBytes } from '../../shared/format-quantity.ts';
import type { Command } from '../command.ts';
import { typed } from '../copyable-command.ts';
import { printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<name>', '[version]'],
  options: { file: { type: 'string', value: 'PATH', help: 'Print the text of this file' } },
  description: 'Lists the files of a version, the highest unless one is named, or prints one of them.',
  examples: [
    'platform custom-bot files sma-crossover 1.0.0',
    'platform custom-bot files sma-crossover --file bot-config.yaml',
  ],
  async run({ client, name: called, out }, args) {
    const [name = '', version] = args.positionals;
    const path = args.text('file');
    const host = await client();
    if (path === undefined) {
      const { items, total, ...about } = await host.call('custom_bots.files', { name, version });
      out.data({ ...about, items, total });
      out.table(
        ['FILE', 'SIZE', 'RUNS'],
        items.map((one) => [one.path, formatBytes(one.size_bytes), one.executable ? 'yes' : '']),
      );
      if (total > items.length) out.note(`The first ${items.length} of ${total} files.`);
      return 0;
    }
    const file = await host.call('custom_bots.file', { name, version, path });
    out.data(file);
    if (out.json) return 0;
    if (file.text === null) {
      out.line(`${printable(path)} is not a text file (${formatBytes(file.size_bytes)}).`);
      return 0;
    }
    out.raw(file.text === '' || file.text.endsWith('\n') ? file.text : `${file.text}\n`);
    if (file.truncated) {
      const all = typed(called, 'custom-bot files', name);
      out.note(`The beginning of ${formatBytes(file.size_bytes)}. Sizes of all files: ${all}`);
    }
    return 0;
  },
};
