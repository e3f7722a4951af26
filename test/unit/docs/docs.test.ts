import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ENTRIES } from '../../../src/cli/command-registry.ts';
import { EXIT } from '../../../src/cli/exit-codes.ts';
import { Bot, BotOptions, BotStatus, HealthState } from '../../../src/contract/bot.ts';
import { ERROR_RULES } from '../../../src/contract/errors.ts';
import { FAILURE_CODES } from '../../../src/contract/failure.ts';
import { RULES } from '../../../src/main/host/bots/failure/classify.ts';
import { TOOLS } from '../../../src/main/host/mcp/tools/tools.ts';
import { RUNTIME_NAMES, RUNTIMES } from '../../../src/runtimes/registry.ts';
import { anchorsOf, brokenLinks, documents } from '../../support/documents.ts';

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

/** Tests that a document names, each with the title that stands behind it, where one does. */
const namedTests = (path: string) => [...read(path).matchAll(/`(test\/[\w./-]+\.ts)`(?: "([^"]+)")?/g)];

describe('docs/contract/promises.md', () => {
  it('has a test for its promises', () => {
    expect(namedTests('docs/contract/promises.md').length).toBeGreaterThan(100);
  });
});

describe('files that documents name', () => {
  it.each(documents())('%s names only tests that are there, with their titles', (path) => {
    const missing = namedTests(path).filter(([, file = '', title]) => {
      if (!existsSync(join(ROOT, file))) return true;
      return title !== undefined && !read(file).includes(title.replaceAll('\n', ' '));
    });
    expect(missing.map((one) => one[0])).toEqual([]);
  });

  const maps = documents().filter(
    (path) => path === 'CONTRIBUTING.md' || /^docs\/(?:architecture|contract)/.test(path),
  );
  it.each(maps)('%s names only files that are there', (path) => {
    const named = [...read(path).matchAll(/`((?:src|test|resources|scripts|bench)\/[\w./-]+)`/g)];
    expect(named.map(([, file = '']) => file).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

describe('docs/contract', () => {
  it('tells every state, every field of the record and every option of an instance', () => {
    const text = read('docs/contract/instances.md');
    const names = [
      ...BotStatus.options,
      ...HealthState.options,
      ...Object.keys(Bot.shape),
      ...Object.keys(BotOptions.shape),
    ];
    expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  it('tells the stable messages as they are', () => {
    const text = read('docs/contract/http.md');
    const stable = ['AUTHENTICATION_REQUIRED', 'INVALID_API_KEY', 'BOT_NOT_FOUND', 'CUSTOM_BOT_NOT_FOUND'] as const;
    expect(stable.filter((code) => !text.includes(`| \`${code}\` | ${ERROR_RULES[code].message}`))).toEqual([]);
  });

  it('has the tools of /mcp in their order, each with every argument', () => {
    const rows = [...read('docs/contract/mcp.md').matchAll(/^\| (`\w+`(?:, `\w+`)?) \| (.*) \|$/gm)];
    const told = rows.flatMap(([, names = '', args = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, args] as const),
    );
    expect(told.map(([name]) => name)).toEqual(TOOLS.map(({ name }) => name));
    const missing = TOOLS.flatMap(({ name, input }) => {
      const args = told.find(([one]) => one === name)?.[1] ?? '';
      const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
      return Object.keys(properties).filter((arg) => !args.includes(`\`${arg}\``));
    });
    expect(missing).toEqual([]);
  });

  it('has every runtime with its other names and its image', () => {
    const [, table = ''] = read('docs/contract/custom-bots.md').split('## Runtimes');
    const rows = table.split('\n');
    const untold = [...RUNTIMES].filter(([id, { aliases, image }]) => {
      const [, major = ''] = /^\D+(\d+)$/.exec(id) ?? [];
      const row = rows.find((line) => line.startsWith('| `') && line.includes(`\`${id}\``)) ?? '';
      const shown = row.replace('node:N-', `node:${major}-`);
      return !shown.includes(image) || aliases.some((alias) => !row.includes(`\`${alias}\``));
    });
    expect(untold).toEqual([]);
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
  it.each(documents())('%s leads somewhere', (path) => {
    expect(brokenLinks(path)).toEqual([]);
  });

  it('are found broken where a file or an anchor is missing', () => {
    const text = '# A b\n\n<a id="c"></a>\n\n```sh\n# d\n```\n\n# A b\n';
    expect(anchorsOf(text)).toEqual(['a-b', 'a-b-1', 'c']);
    const links =
      '[1](#c) [2](#d) [3](docs/api.md#keys) [4](docs/api.md#none) [5](docs/none.md) [6](https://x.test/#d)';
    expect(brokenLinks('README.md', `${text}${links}`)).toEqual(['#d', 'docs/api.md#none', 'docs/none.md']);
  });
});
