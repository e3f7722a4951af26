import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Has, verifySdk } from '../../../src/cli/sdk-verify/verify.ts';
import { ROOT } from '../../support/platform.ts';
import { built, isHere, RESOURCES, SDK_ADAPTERS } from '../../support/sdk-adapters.ts';

const DOCUMENT = join(ROOT, 'docs/sdks.md');
const TABLE = /(<!-- table: made by [^>]*-->\n)([\s\S]*?)(<!-- end -->)/;
const SIGNS: Readonly<Record<Has, string>> = { ok: '✓', missing: '–', fault: '✗' };

const cells = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Columns of the table in the document, by language: sign by function. */
function readTable(): Map<string, Map<string, string>> {
  const [head = '', , ...rows] = (TABLE.exec(readFileSync(DOCUMENT, 'utf8'))?.[2] ?? '').split('\n').filter(Boolean);
  const [, ...languages] = cells(head);
  return new Map(
    languages.map((language, at) => [
      language,
      new Map(rows.map((row) => [cells(row)[0]?.replaceAll('`', '') ?? '', cells(row)[at + 1] ?? ''])),
    ]),
  );
}

function writeTable(columns: ReadonlyMap<string, ReadonlyMap<string, string>>): void {
  const languages = SDK_ADAPTERS.map(({ language }) => language).filter((language) => columns.has(language));
  const functions = [...new Set(languages.flatMap((language) => [...(columns.get(language)?.keys() ?? [])]))];
  const row = (all: readonly string[]): string => `| ${all.join(' | ')} |\n`;
  const text = [
    row(['function', ...languages]),
    row(['---', ...languages.map(() => ':-:')]),
    ...functions.map((name) => {
      const called = name.includes(' ') ? name : `\`${name}\``;
      return row([called, ...languages.map((language) => columns.get(language)?.get(name) ?? '–')]);
    }),
  ].join('');
  writeFileSync(
    DOCUMENT,
    readFileSync(DOCUMENT, 'utf8').replace(TABLE, (_, before, __, after) => before + text + after),
  );
}

const found = new Map(readTable());
const here = SDK_ADAPTERS.filter(isHere);
for (const { language, toolchain } of SDK_ADAPTERS.filter((sdk) => !here.includes(sdk))) {
  console.warn(`The SDK for ${language} is not verified: there is no ${toolchain[0]} on this machine.`);
}
// `PLATFORM_TEST_SDKS=update` writes the table of the document anew.
afterAll(() => {
  if (process.env.PLATFORM_TEST_SDKS === 'update') writeTable(found);
});

it.each(['adapter.py', 'adapter.mjs', 'adapter.cpp', 'go/main.go'])('the adapter %s has at most 150 lines', (name) => {
  const lines = readFileSync(join(RESOURCES, 'sdk/adapters', name), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeLessThanOrEqual(150);
});

describe.each([...here])('the SDK for $language', (sdk) => {
  it('holds the contract, and the table says what it has', async () => {
    const { checks, functions } = await verifySdk(await built(sdk), RESOURCES);
    const faults = checks.filter(({ level }) => level === 'fault').map(({ name, message }) => `${name}: ${message}`);
    expect(faults).toEqual([]);
    const column = new Map(Object.entries(functions).map(([name, has]) => [name, SIGNS[has]]));
    found.set(sdk.language, column);
    if (process.env.PLATFORM_TEST_SDKS !== 'update') expect(readTable().get(sdk.language)).toEqual(column);
  }, 1_800_000);
});
