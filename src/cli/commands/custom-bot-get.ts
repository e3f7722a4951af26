import { formatBytes } from '../../shared/format-quantity.ts';
import type { Command } from '../command.ts';
import { sheetLines } from '../show-install-sheet.ts';
import { paint, printable } from '../terminal-text.ts';

export const command: Command = {
  positionals: ['<name>', '[version]'],
  options: {},
  description: 'Shows a version of a custom bot, the highest unless one is named.',
  examples: ['platform custom-bot get sma-crossover 1.0.0'],
  async run({ client, out }, { positionals: [name = '', version] }) {
    const host = await client();
    const found = await host.call('custom_bots.get', { name, version });
    out.data(found);
    const rows: [string, string][] = [
      ['type', found.type],
      ['runtime', found.runtime],
      ['entry', found.entrypoints.bot],
      ['query', found.entrypoints.query ?? 'none'],
      ['size', `${found.files} files, ${formatBytes(found.size_bytes)}`],
      ['published', found.created_at],
      ['hash', found.hash],
    ];
    out.line(`${paint(out.colours, 'bold', found.name)} ${found.version}  ${printable(found.description)}`);
    for (const [label, value] of rows) out.line(`  ${label.padEnd(10)} ${printable(value)}`);
    out.line();
    for (const line of sheetLines(found.install_sheet)) out.line(line);
    return 0;
  },
};
