import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { verifySdk } from '../../../src/cli/sdk-verify/verify.ts';
import { RESOURCES } from '../../support/sdk-adapters.ts';
import { tempDir } from '../../support/temp.ts';

/** The adapter of Node with changes to its text. */
function adapterWith(...changes: readonly (readonly [text: string, other: string])[]) {
  const cwd = tempDir('changed-adapter-');
  const sdk = pathToFileURL(join(RESOURCES, 'sdk/node/index.mjs')).href;
  const all = [['../node/index.mjs', sdk], ...changes] as const;
  const source = readFileSync(join(RESOURCES, 'sdk/adapters/adapter.mjs'), 'utf8');
  const text = all.reduce((before, [from, to]) => {
    expect(before).toContain(from);
    return before.replace(from, () => to);
  }, source);
  writeFileSync(join(cwd, 'adapter.mjs'), text);
  return { program: process.execPath, args: [join(cwd, 'adapter.mjs')], cwd, env: process.env };
}

/** The resources with a few cases of their own. */
function resourcesWith(cases: readonly object[]): string {
  const dir = tempDir('few-vectors-');
  mkdirSync(join(dir, 'sdk'), { recursive: true });
  cpSync(join(RESOURCES, 'sdk/vectors'), join(dir, 'sdk/vectors'), { recursive: true });
  writeFileSync(join(dir, 'sdk/vectors/vectors.json'), JSON.stringify({ cases }));
  return dir;
}

const says = (name: string, ...lines: readonly string[]) => ({
  ...{ name, stdout: [], stderr: lines, result: null, exit: 0, state: {} },
  steps: lines.map((line) => ({ fn: 'log', args: [line] })),
});
const CASES = [
  says('one line', 'a'),
  says('another line', 'b'),
  { ...says('a sleep'), steps: [{ fn: 'sleep', args: [1] }] },
];
const START = '    if (!Object.hasOwn(steps, fn)) {';

it('tells a function that is missing from a name that nobody asked for, and from one that comes and goes', async () => {
  const look = async (when: string, said: string) => {
    const instead = `    if (${when}) {\n      console.error('unknown function: ${said}');\n      process.exit(64);\n    }\n${START}`;
    const { checks, functions } = await verifySdk(adapterWith([START, instead]), resourcesWith(CASES), {
      parts: ['vectors'],
    });
    return { functions, said: checks.map(({ level, message }) => `${level}: ${message}`) };
  };
  expect(await look('fn === "sleep"', 'sleep')).toEqual({
    functions: { log: 'ok', sleep: 'missing' },
    said: ['ok: 2 cases', 'note: the SDK has no such function'],
  });
  expect(await look('fn === "sleep"', 'sleeep')).toEqual({
    functions: { log: 'ok', sleep: 'fault' },
    said: [
      'ok: 2 cases',
      'fault: a sleep: it says that it does not know the function sleeep, for which nobody asks it',
    ],
  });
  expect(await look('fn === "log" && args[0] === "b"', 'log')).toEqual({
    functions: { log: 'fault', sleep: 'ok' },
    said: [
      'fault: another line: it says that it does not know the function, which it has in another case',
      'ok: 1 case',
    ],
  });
});

/** What is wrong with the query server of an adapter, by the part of the contract. */
async function faultsOfServer(adapter: ReturnType<typeof adapterWith>): Promise<Record<string, string>> {
  const { checks } = await verifySdk(adapter, RESOURCES, { parts: ['server'] });
  return Object.fromEntries(checks.flatMap(({ name, level, message }) => (level === 'fault' ? [[name, message]] : [])));
}
const FIRST = "import { execFileSync } from 'node:child_process';";

it('takes a connection that stays open without an answer for no end of it', { timeout: 120_000 }, async () => {
  const silent = `import http from 'node:http';
const emit = http.Server.prototype.emit;
http.Server.prototype.emit = function (name, ...rest) {
  return name === 'clientError' || emit.call(this, name, ...rest);
};
${FIRST}`;
  expect(await faultsOfServer(adapterWith([FIRST, silent]))).toMatchObject({
    'hostile requests':
      'what is no HTTP gets no answer, and the connection stays open, wanted 400 or an end of the connection',
  });
});

it('notices that questions at the same time get the answers of each other', { timeout: 120_000 }, async () => {
  const later = "query.handler('/later', (asked) => new Promise(";
  const mixed = `let last;\n  ${later.replace('=> new', '=> (last = asked, new')}`;
  const answer = "resolve(asked.get('n', 'late')), 200)));";
  const faults = await faultsOfServer(
    adapterWith([later, mixed], [answer, "resolve(last.get('n', 'late')), 200))));"]),
  );
  expect(faults).toEqual({
    parallel: expect.stringMatching(/^\/later\?n=\d+, among 24 such questions at once, gets /),
  });
});

it('takes the server of another start for none of this one', { timeout: 120_000 }, async () => {
  const first = `import { existsSync, writeFileSync } from 'node:fs';
if (existsSync('config')) process.env.BOT_CONFIG = readFileSync('config', 'utf8');
else if (process.argv[2] === 'query') writeFileSync('config', process.env.BOT_CONFIG);
${FIRST}`;
  const another = 'the query server of another start answers on its QUERY_PORT';
  expect(await faultsOfServer(adapterWith([FIRST, first]))).toEqual({
    ...{ 'without a token': another, 'with a token': another, SIGTERM: another, SIGINT: another },
  });
});
