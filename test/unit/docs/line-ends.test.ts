import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const RUNNERS = join(ROOT, 'resources/runners');

/** Checked out on Windows, they run in Linux containers all the same. */
describe('line ends of what runs in containers', () => {
  const attributes = readFileSync(join(ROOT, '.gitattributes'), 'utf8').split('\n');
  const files = readdirSync(RUNNERS, { withFileTypes: true }).filter((entry) => entry.isFile());

  it.each(files.map(({ name }) => name))('stay as they are: %s', (name) => {
    expect(attributes).toContain(`*${extname(name)} text eol=lf`);
    expect(readFileSync(join(RUNNERS, name), 'utf8')).not.toContain('\r');
  });
});
