import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/cli/command.ts';
import { ENTRIES } from '../../../src/cli/command-registry.ts';
import { commandHelp, programHelp } from '../../../src/cli/help.ts';

const CLI = resolve(import.meta.dirname, '../../../src/cli');

describe('programHelp', () => {
  it('lists every command with what it does, within 110 columns', () => {
    const lines = programHelp(null).split('\n');
    for (const { words, summary } of ENTRIES) {
      expect(lines.some((line) => line.startsWith(`  ${words} `) && line.endsWith(`  ${summary}`))).toBe(true);
    }
    expect(lines.filter((line) => line.length > 110)).toEqual([]);
    expect(lines.at(-1)).toBe('');
  });

  it('lists only the commands of a group', () => {
    const text = programHelp('keys');
    expect(text).toContain('Usage: platform keys <command> [options]');
    expect(text).toMatch(/^ {2}keys revoke +\S/m);
    expect(text).not.toContain('bot list');
  });
});

it('commandHelp shows use, options with their letters, and examples', () => {
  const command: Command = {
    positionals: ['<bot>'],
    options: {
      yes: { type: 'boolean', short: 'y', help: 'Do not ask' },
      limit: { type: 'string', value: 'N', help: 'How many' },
    },
    description: 'Does it.',
    examples: ['platform bot sample x -y'],
    run: async () => 0,
  };
  const text = commandHelp('bot sample', command);
  expect(text).toContain('Usage: platform bot sample <bot> [options]');
  expect(text).toMatch(/^ {2}-y, --yes {6} ?Do not ask$/m);
  expect(text).toMatch(/^ {6}--limit N +How many$/m);
  expect(text).toMatch(/^ {6}--url URL +\S/m);
  expect(text).toContain('\n  platform bot sample x -y\n');
});

/** What is loaded before the command is known: imports of code, not of types, followed from the entry. */
function loadedAtStart(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, clause = '', from = ''] of text.matchAll(/^(?:import|export)\s([^;]*?from\s+)?'([^']+)';/gm)) {
    if (clause.startsWith('type ')) continue;
    if (from.startsWith('.')) loadedAtStart(join(dirname(file), from), found);
    else found.add(from);
  }
  return found;
}

it('every description fits 80 columns, and every other line 110', async () => {
  for (const { words, load } of ENTRIES) {
    const lines = commandHelp(words, (await load()).command, 'npx platform').split('\n');
    const description = lines.slice(0, lines.indexOf(''));
    expect(description.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.filter((line) => line.length > 110)).toEqual([]);
  }
});

it('starts with light imports: no schemas, no client, no packages', () => {
  const loaded = [...loadedAtStart(join(CLI, 'platform.ts'))];
  expect(loaded).toContain(join(CLI, 'parse.ts'));
  expect(loaded.filter((name) => !name.startsWith('/') && !name.startsWith('node:'))).toEqual([]);
  expect(loaded.filter((name) => /operations\.ts$|client\.ts$|commands\/|packaging\//.test(name))).toEqual([]);
});
