import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/cli/exit-codes.ts';
import { ENTRIES } from '../../../src/cli/registry.ts';
import { ERROR_RULES } from '../../../src/contract/errors.ts';
import { FAILURE_CODES } from '../../../src/contract/failure.ts';
import { RULES } from '../../../src/main/host/bots/failure/classify.ts';
import { RUNTIME_NAMES } from '../../../src/runtimes/names.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('docs/errors.md', () => {
  it('explains every code with its status, and no other', () => {
    const rows = [...read('docs/errors.md').matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)];
    const documented = Object.fromEntries(rows.map((row) => [row[1] ?? '', Number(row[2])]));
    const rules = Object.fromEntries(Object.entries(ERROR_RULES).map(([code, rule]) => [code, rule.status]));
    expect(documented).toEqual(rules);
  });
});

describe('docs/failures.md', () => {
  const rows = [...read('docs/failures.md').matchAll(/^\| `([A-Z_]+)` \| ([a-z, ]+) \|/gm)];
  it('explains every failure code, and no other, in the order of the contract', () => {
    expect(rows.map((row) => row[1])).toEqual(FAILURE_CODES);
  });
  it('names the steps that the rules give, and there is a rule for each code', () => {
    const steps = Map.groupBy(RULES, (rule) => rule.code);
    const given = FAILURE_CODES.filter((code) => code !== 'CRASH_LOOP').map((code) => [
      code,
      [...new Set(steps.get(code)?.map((rule) => rule.step))].join(', '),
    ]);
    expect(rows.map((row) => [row[1], row[2]]).filter(([code]) => code !== 'CRASH_LOOP')).toEqual(given);
  });
});

describe('docs/cli.md', () => {
  const text = read('docs/cli.md');
  it('lists every command, and no other', () => {
    const documented = [...text.matchAll(/^\| `platform ([a-z -]+?)(?: [<[].*?)?` \|/gm)].map((row) => row[1] ?? '');
    expect(documented.sort()).toEqual(ENTRIES.map((entry) => entry.words).sort());
  });
  it('lists every exit code', () => {
    const section = text.slice(text.indexOf('## Exit codes'));
    const documented = [...section.matchAll(/^\| (\d+) \|/gm)].map((row) => Number(row[1]));
    expect(documented).toEqual(Object.values(EXIT));
  });
});

describe('docs/writing-bots.md', () => {
  it('has every runtime with its other names in its table', () => {
    const rows = read('docs/writing-bots.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(RUNTIME_NAMES.filter((name) => !rows.some((row) => row.split('|')[1]?.includes(`\`${name}\``)))).toEqual([]);
  });
});

describe('docs/contract.md', () => {
  it('names only tests that are there', () => {
    const named = [...read('docs/contract.md').matchAll(/`(test\/[\w./-]+\.ts)`(?: "([^"]+)")?/g)];
    expect(named.length).toBeGreaterThan(100);
    const missing = named.filter(([, file = '', title]) => {
      if (!existsSync(join(ROOT, file))) return true;
      return title !== undefined && !read(file).includes(title);
    });
    expect(missing.map((one) => one[0])).toEqual([]);
  });
});

describe('readmes of samples and templates', () => {
  const readmes = ['examples', 'templates'].flatMap((kind) =>
    readdirSync(join(ROOT, 'resources', kind)).map((name) => `resources/${kind}/${name}/README.md`),
  );
  it('name every command as README.md does, and say what it is elsewhere', () => {
    for (const path of readmes) {
      const text = read(path);
      expect([path, text.match(/^platform |`platform [a-z].*/gm)]).toEqual([path, null]);
      expect([path, text.includes('where it is installed or linked, `platform` alone')]).toEqual([path, true]);
    }
  });
});

describe('links between documents', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)];
  it.each(documents.filter((name) => name.endsWith('.md')))('%s leads somewhere', (name) => {
    const targets = [...read(name).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '');
    const broken = targets.filter(
      (target) => !/^https?:/.test(target) && !existsSync(join(ROOT, dirname(name), target)),
    );
    expect(broken).toEqual([]);
  });
});
