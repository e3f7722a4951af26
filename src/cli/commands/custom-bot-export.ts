import { createWriteStream, existsSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { invalid } from '../../contract/errors.ts';
import { formatBytes } from '../../shared/format-quantity.ts';
import type { Command } from '../command.ts';
import { quoted } from '../copyable-command.ts';

/** The file to write: as named, in the folder that was named, or in this one. Refuses one that is there already. */
function fileFor(cwd: string, given: string, usual: string, mayReplace: boolean): string {
  const named = resolve(cwd, given);
  const isFolder = statSync(named, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? join(named, usual) : named;
  if (mayReplace || !existsSync(file)) return file;
  throw invalid('INVALID_REQUEST', [
    { path: file, message: 'is there already', hint: 'Name another file, or replace this one with --force.' },
  ]);
}

export const command: Command = {
  positionals: ['<name[@version]>', '[file]'],
  options: { force: { type: 'boolean', help: 'Replace a file that is there' } },
  description:
    'Writes a published version, the highest unless one is named, as one file (.tar.gz) for another host or another person. The same version makes the same file. Settings, secrets, state and logs of bots are not in it.',
  examples: ['platform custom-bot export sma-crossover', 'platform custom-bot export sma-crossover@1.0.0 ~/sma.tar.gz'],
  async run({ client, cwd, out, name: called }, args) {
    const [given = '', path = '.'] = args.positionals;
    const [name = '', version] = given.split('@', 2);
    const host = await client();
    const found = await host.call('custom_bots.get', { name, ...(version === undefined ? {} : { version }) });
    const file = fileFor(cwd, path, `${found.name}-${found.version}.tar.gz`, args.flag('force'));
    const progress = out.progress();
    const part = `${file}.${process.pid}.part`;
    let bytes = 0;
    const counted = async function* () {
      for await (const chunk of host.download('custom_bots.export', { name: found.name, version: found.version })) {
        bytes += chunk.length;
        progress.update(`Receiving ${formatBytes(bytes)}`, null);
        yield chunk;
      }
    };
    try {
      await pipeline(Readable.from(counted()), createWriteStream(part, { flags: 'wx' }));
      await rename(part, file);
    } finally {
      progress.done();
      await rm(part, { force: true });
    }
    out.data({ file, name: found.name, version: found.version, hash: found.hash, size_bytes: bytes });
    out.line(`Wrote ${file} (${found.files} files, ${formatBytes(bytes)}).`);
    out.line(`Content hash ${found.hash}`);
    out.line('Publish it on another host; tell its people the hash by another way than the file:');
    out.line(`  ${called.program} custom-bot import ${quoted(file)} --hash ${found.hash}`);
    return 0;
  },
};
