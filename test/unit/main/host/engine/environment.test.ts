import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UnitSpec } from '../../../../../src/main/host/engine/engine.ts';
import {
  contractEnvironment,
  LINUX_ENTRY_BYTES,
  type Surroundings,
} from '../../../../../src/main/host/engine/environment.ts';
import { tempDir } from '../../../../support/temp.ts';
import { unitSpec } from '../../../../support/units.ts';

const AROUND: Surroundings = {
  join: posix.join,
  delimiter: ':',
  codeDir: '/code',
  mountDir: '/code',
  stateDir: '/state',
  resultFile: '/run/result.json',
  queryResultFile: '/run/query.json',
  home: '/home',
  temporary: '/tmp',
  controlDir: '/control',
  queryPort: null,
  entryBytes: LINUX_ENTRY_BYTES,
};
const dir = tempDir('environment-');

function env(over: Partial<UnitSpec> = {}, around: Partial<Surroundings> = {}) {
  return contractEnvironment(unitSpec(dir, 'bot', { runId: 'run_1', ...over }), { ...AROUND, ...around });
}

describe('the environment of a bot', () => {
  it('is the contract and nothing else', () => {
    expect(env()).toEqual({
      BOT_ID: 'bot_1',
      ID: 'bot_1',
      BOT_CONFIG: '{"n":1}',
      CONFIG: '{"n":1}',
      BOT_TYPE: 'scheduled',
      RUN_ID: 'run_1',
      CODE_MOUNT_DIR: '/code',
      STATE_DIR: '/state/.platform',
      RESULT_FILE: '/run/result.json',
      HOME: '/home',
      TMPDIR: '/tmp',
      TZ: 'UTC',
      LANG: 'C.UTF-8',
      PYTHONUNBUFFERED: '1',
    });
  });

  it('has what Python looks for, and the port of queries, only where they are meant', () => {
    const PYTHONPATH = 'C:/code/vendor;C:/code';
    expect(env({ runtime: 'python311' }, { delimiter: ';', codeDir: 'C:/code' })).toMatchObject({ PYTHONPATH });
    expect(env({}, { queryPort: 9476 })).toMatchObject({ QUERY_PORT: '9476' });
    expect(env()).not.toHaveProperty('QUERY_PORT');
  });

  it('has a config also where none was given', () => {
    expect(env({ env: {} })).toMatchObject({ BOT_ID: 'bot_1', BOT_CONFIG: '{}', CONFIG: '{}', BOT_TYPE: 'scheduled' });
  });

  it('has the question of a query run, and refuses one in any other', () => {
    const question = { QUERY_PATH: '/x', QUERY_PARAMS: '{}', QUERY_PARAM_a: '1' };
    const asked = env({ queryRun: true, env: question });
    expect(asked).toMatchObject({ ...question, QUERY_RESULT_FILE: '/run/query.json' });
    expect(() => env({ env: question })).toThrow('QUERY_PATH may only be set for a query run');
    expect(Object.keys(env()).filter((name) => name.startsWith('QUERY_'))).toEqual([]);
  });
});

describe('a value that the system cannot pass on', () => {
  it('is refused by its bytes, with its name', () => {
    const room = LINUX_ENTRY_BYTES - 'BOT_CONFIG='.length;
    expect(env({ env: { BOT_CONFIG: 'x'.repeat(room) } }).BOT_CONFIG).toHaveLength(room);
    const over = { env: { BOT_CONFIG: 'x'.repeat(room + 1) } };
    expect(() => env(over)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining('BOT_CONFIG is 128 KiB') }),
    );
    expect(() => env({ env: { BOT_CONFIG: '€'.repeat(room / 2) } })).toThrow(/BOT_CONFIG is 192 KiB/);
  });

  it('is refused where it holds a NUL', () => {
    expect(() => env({ env: { QUERY_PARAM_a: 'a\0b' }, queryRun: true })).toThrow(/QUERY_PARAM_a holds a NUL/);
  });
});
