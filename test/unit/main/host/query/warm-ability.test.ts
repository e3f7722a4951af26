import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WarmAbility } from '../../../../../src/main/host/query/warm-ability.ts';
import { tempDir } from '../../../../support/temp.ts';

const SDK = resolve(import.meta.dirname, '../../../../../resources/sdk');

function packageOf(files: Record<string, string | Buffer>): string {
  const dir = tempDir('warm-ability-');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  return dir;
}

const canWait = (runtime: string, entry: string, files: Record<string, string | Buffer>): Promise<boolean> =>
  new WarmAbility().canWait({ runtime, entry, codeDir: packageOf(files) });

const PYTHON = 'from platform_sdk import query, state\nquery.run()\n';
const NODE = "import { query } from '@bot-platform/sdk';\nquery.run();\n";

describe('a Python program', () => {
  it.each([
    ['imports names', PYTHON],
    ['imports the module', 'import platform_sdk\nplatform_sdk.query.run()\n'],
    ['imports it with others', 'import json, platform_sdk as sdk\nsdk.query.run()\n'],
    ['imports in a block', 'from platform_sdk import (\n    query,\n)\nquery.run()\n'],
    ['imports in a function', 'def main(bot_id, config):\n    from platform_sdk import query\n    query.run()\n'],
  ])('can wait that %s', async (_, source) => {
    expect(await canWait('python311', 'query.py', { 'query.py': source })).toBe(true);
  });

  it.each([
    ['has no SDK', 'import os\nprint(os.environ["QUERY_PATH"])\n'],
    ['only speaks of the SDK', '# from platform_sdk import query\nquery.run()\n'],
    ['uses another module', 'from platform_sdk_old import query\nquery.run()\n'],
    ['uses the SDK for state only', 'from platform_sdk import state\nserve(state.get("x"))\n'],
    ['looks for its question itself', `${PYTHON}path = os.environ.get("QUERY_PATH")\n`],
    ['looks for a parameter itself', `limit = os.environ.get("QUERY_PARAM_limit")\n${PYTHON}`],
    ['is far too long', `${PYTHON}#${'x'.repeat(1024 * 1024)}`],
    ['is full of blank lines', '\n'.repeat(1024 * 1000)],
    ['is full of words', 'query '.repeat(170_000)],
  ])('cannot wait that %s', async (_, source) => {
    expect(await canWait('python311', 'query.py', { 'query.py': source })).toBe(false);
  });

  it('cannot wait when another file of the package looks for the question', async () => {
    const files = { 'query.py': PYTHON, 'lib/limits.py': 'LIMIT = os.environ.get("QUERY_PARAM_limit")\n' };
    expect(await canWait('python311', 'query.py', files)).toBe(false);
    expect(await canWait('python311', 'query.py', { 'query.py': PYTHON, 'vendor/x.py': 'QUERY_PATH' })).toBe(true);
  });

  it('cannot wait through an SDK that cannot: a copy in the package comes before ours', async () => {
    const old = 'def run(): pass\n';
    for (const name of ['vendor/platform_sdk/query.py', 'platform_sdk/query.py', 'vendor/platform_sdk.py']) {
      expect(await canWait('python311', 'query.py', { 'query.py': PYTHON, [name]: old })).toBe(false);
    }
    const beside = { 'src/query.py': PYTHON, 'src/platform_sdk/query.py': old };
    expect(await canWait('python311', 'src/query.py', beside)).toBe(false);
  });

  it('can wait through a copy of the SDK of today', async () => {
    const codeDir = packageOf({ 'query.py': PYTHON });
    cpSync(join(SDK, 'python/platform_sdk'), join(codeDir, 'vendor/platform_sdk'), { recursive: true });
    expect(await new WarmAbility().canWait({ runtime: 'python311', entry: 'query.py', codeDir })).toBe(true);
  });
});

describe('a Node program', () => {
  it.each([
    ['imports', NODE],
    ['imports over several lines', "import {\n  query,\n} from '@bot-platform/sdk';\nquery.run();\n"],
    ['requires', 'const { query } = require("@bot-platform/sdk");\nquery.run();\n'],
    ['imports later', "const { query } = await import('@bot-platform/sdk');\nawait query.run();\n"],
  ])('can wait that %s', async (_, source) => {
    expect(await canWait('nodejs22', 'src/query.mjs', { 'src/query.mjs': source })).toBe(true);
  });

  it.each([
    ['has no SDK', "import { createServer } from 'node:http';\nrun(query);\n"],
    ['only speaks of it', "// import { query } from '@bot-platform/sdk'\nquery.run()\n"],
    ['uses it for state only', "import { state } from '@bot-platform/sdk';\nserve(state);\n"],
    ['looks for its question itself', `${NODE}const { QUERY_PARAMS } = process.env;\n`],
    ['is full of blank lines', '\n'.repeat(1024 * 1000)],
  ])('cannot wait that %s', async (_, source) => {
    expect(await canWait('nodejs24', 'query.mjs', { 'query.mjs': source })).toBe(false);
  });

  it('loads the nearest copy of the SDK', async () => {
    const files = { 'src/query.mjs': NODE, 'node_modules/@bot-platform/sdk/index.mjs': 'export const query = {};\n' };
    const codeDir = packageOf(files);
    const program = { runtime: 'nodejs24', entry: 'src/query.mjs', codeDir };
    expect(await new WarmAbility().canWait(program)).toBe(false);
    cpSync(join(SDK, 'node'), join(codeDir, 'src/node_modules/@bot-platform/sdk'), { recursive: true });
    expect(await new WarmAbility().canWait(program)).toBe(true);
  });
});

describe('a compiled program', () => {
  const filler = Buffer.alloc(256 * 1024 - 10, 'x');
  it.each([
    ['with the mark', ['\x7fELF PLATFORM_QUERY_WARM\0'], true],
    ['with the mark across two pieces', [filler, 'PLATFORM_QUERY_WARM\0', filler], true],
    ['without it', [filler, 'QUERY_PATH\0QUERY_PARAM_\0', filler], false],
    ['that looks for a parameter itself', ['PLATFORM_QUERY_WARM\0', filler, 'QUERY_PARAM_limit\0'], false],
    ['that is empty', [], false],
  ])('%s', async (_, parts, expected) => {
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    for (const runtime of ['gcc13', 'rust-stable', 'ghc96']) {
      expect(await canWait(runtime, 'query', { query: bytes })).toBe(expected);
    }
  });
});

it.each(['java21', 'scala3', 'dotnet8', 'unknown'])('%s programs never wait', async (runtime) => {
  expect(await canWait(runtime, 'query', { query: `${PYTHON}${NODE}PLATFORM_QUERY_WARM` })).toBe(false);
});

it('a program that is not there cannot wait', async () => {
  expect(await canWait('python311', 'query.py', {})).toBe(false);
  expect(await canWait('python311', 'query.py', { 'query.py/x': '' })).toBe(false);
});

it('remembers a program that did not wait, until another takes its place', async () => {
  const ability = new WarmAbility();
  const codeDir = packageOf({ 'query.py': PYTHON });
  const program = { runtime: 'python311', entry: 'query.py', codeDir };
  expect(await ability.canWait(program)).toBe(true);
  await ability.cannotWait(program);
  expect(await ability.canWait(program)).toBe(false);
  rmSync(join(codeDir, 'query.py'));
  writeFileSync(join(codeDir, 'query.py'), `${PYTHON}# another version of the same name\n`);
  expect(await ability.canWait(program)).toBe(true);
});
