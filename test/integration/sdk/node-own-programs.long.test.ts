import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../support/child-program.ts';
import { type Files, NODES, writeFiles } from '../../support/entry-nodes.ts';
import { ROOT } from '../../support/platform.ts';
import { tempDir } from '../../support/temp.ts';

const RUNNER = join(ROOT, 'resources/runners/node-runner.mjs');

/** Runs the first of these files as the engine does, with warnings, as a bot's log has them. */
async function run(node: string, files: Files) {
  const dir = tempDir('own-programs-');
  writeFiles(dir, files);
  const result = join(dir, 'the-result.json');
  const { PATH = '' } = process.env;
  const env = { PATH, BOT_ID: 'bot_1', BOT_CONFIG: '{"symbol":"USER"}', CODE_MOUNT_DIR: dir, RESULT_FILE: result };
  const ended = await startProgram(node, [RUNNER, Object.keys(files)[0] ?? '', '--fast'], { cwd: dir, env }).ended;
  return {
    exit: ended.code,
    said: ended.stdout,
    stderr: ended.stderr,
    result: existsSync(result) ? readFileSync(result, 'utf8') : null,
  };
}

describe.each(NODES)('an entry and what Node says of it, with %s', (_, node) => {
  it('import() in CommonJS puts no warning into the log', async () => {
    const files = {
      'bot.cjs':
        "exports.main = async () => { console.log((await import('./a.mjs')).word, typeof (await import('node:fs')).readFileSync); };",
      'a.mjs': "export const word = 'imported';",
    };
    expect(await run(node, files)).toMatchObject({ exit: 0, said: 'imported function\n', stderr: '' });
  });

  it('other warnings stay, those of an experiment too', async () => {
    const files = {
      'bot.cjs': `exports.main = async () => {
        await import('./a.mjs');
        process.emitWarning('of the bot');
        process.emitWarning('it is an experimental feature', 'ExperimentalWarning');
      };`,
      'a.mjs': '',
    };
    const { exit, stderr } = await run(node, files);
    expect(exit).toBe(0);
    expect(stderr).toContain('Warning: of the bot');
    expect(stderr).toContain('ExperimentalWarning: it is an experimental feature');
    expect(stderr).not.toContain('USE_MAIN_CONTEXT_DEFAULT_LOADER');
  });
});

const CLUSTER_MAIN = `
  if (cluster.isPrimary) {
    const worker = cluster.fork();
    const said = await new Promise((resolve) => worker.on('message', resolve));
    const [code] = await new Promise((resolve) => worker.on('exit', (...ended) => resolve(ended)));
    return { said, code };
  }
  await new Promise((resolve) => process.send([id, config.symbol, process.argv.slice(2)], resolve));
  process.disconnect();
  return { never: 'the result of the run' };
`;
const TRIAL = "console.log('TRIAL')";

const FORK = `
  const child = fork(process.argv[1], ['child']);
  const code = await new Promise((resolve) => child.on('exit', resolve));
  console.log('child ended with ' + code);
`;
const WORKER = `
  const error = await new Promise((resolve) => new Worker(process.argv[1]).on('error', resolve));
  console.log(error.message);
`;
const SENTENCE = /^process\.argv\[1\] is not the file of a bot whose function the platform calls\b.*a file of its own/m;

describe.each(NODES)('an entry that is called, with %s', (_, node) => {
  it.each([
    [
      'CommonJS',
      'bot.cjs',
      `const cluster = require('node:cluster');
       exports.main = async (id, config) => {${CLUSTER_MAIN}};
       if (require.main === module) ${TRIAL};`,
    ],
    [
      'an ES module',
      'bot.mjs',
      `import cluster from 'node:cluster';
       export const main = async (id, config) => {${CLUSTER_MAIN}};
       if (import.meta.main) ${TRIAL};`,
    ],
  ])('is called in the workers of its cluster, too, and has the result of its own call: %s', async (__, name, text) => {
    expect(await run(node, { [name]: text })).toEqual({
      exit: 0,
      said: '',
      stderr: '',
      result: JSON.stringify({ said: ['bot_1', 'USER', ['--fast']], code: 0 }),
    });
  });

  it('is told what to do when it starts process.argv[1] as a program', async () => {
    const text = `const { fork } = require('node:child_process');
      exports.main = async () => {${FORK}};
      if (require.main === module) ${TRIAL};`;
    const { exit, said, stderr, result } = await run(node, { 'bot.cjs': text });
    expect({ exit, said, result }).toEqual({ exit: 0, said: 'child ended with 1\n', result: null });
    expect(stderr).toMatch(SENTENCE);
  });

  it('is told the same when it starts process.argv[1] as a thread', async () => {
    const text = `import { Worker } from 'node:worker_threads';
      export const main = async () => {${WORKER}};
      if (import.meta.main) ${TRIAL};`;
    const { exit, said, result } = await run(node, { 'bot.mjs': text });
    expect({ exit, result }).toEqual({ exit: 0, result: null });
    expect(said).toMatch(SENTENCE);
  });
});

it.each(NODES)('an entry that is the program starts itself, as with plain Node, with %s', async (_, node) => {
  const text = `const cluster = require('node:cluster');
    const { fork } = require('node:child_process');
    const { Worker, isMainThread } = require('node:worker_threads');
    if (!isMainThread || process.argv[2] === 'child' || cluster.isWorker) {
      console.log(isMainThread ? (cluster.isWorker ? 'worker' : 'child') : 'thread');
      if (cluster.isWorker) process.disconnect();
    } else {
      const ended = (one) => new Promise((resolve) => one.on('exit', resolve));
      (async () => {
        await ended(fork(process.argv[1], ['child']));
        await ended(cluster.fork());
        await ended(new Worker(process.argv[1]));
      })();
    }`;
  expect(await run(node, { 'bot.cjs': text })).toMatchObject({ exit: 0, said: 'child\nworker\nthread\n', stderr: '' });
});
