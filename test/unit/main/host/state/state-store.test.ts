import { execFileSync } from 'node:child_process';
import {
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LocalState } from '../../../../../src/main/host/state/local-state.ts';
import { createStateStore, type StateStoreOptions } from '../../../../../src/main/host/state/state-store.ts';
import { tempDir } from '../../../../support/temp.ts';

function setUp(time?: StateStoreOptions['time']) {
  const root = tempDir();
  const store = createStateStore({
    viewOf: (botId) => new LocalState(join(root, botId)),
    ...(time === undefined ? {} : { time }),
  });
  const keys = join(root, 'bot_1', '.platform');
  mkdirSync(keys, { recursive: true });
  return { root, store, keys, put: (name: string, text: string) => writeFileSync(join(keys, name), text) };
}

describe('reading state', () => {
  it('lists keys with sizes and nothing else', async () => {
    const { store, keys, put, root } = setUp();
    put('b.json', '{"n":1}');
    put('%c3%bc.json', '2');
    put('.tmp-1-1', 'half');
    put('notes.txt', 'foreign');
    mkdirSync(join(keys, 'folder.json'));
    symlinkSync('/etc/passwd', join(keys, 'link.json'));
    writeFileSync(join(root, 'bot_1', 'beside'), '12345');
    const list = await store.list('bot_1');
    expect(list).toMatchObject({ bot_id: 'bot_1', total_bytes: 7 + 1 + 4 + 7 + 5, over_quota: false });
    expect(list.keys.map(({ key, size }) => [key, size])).toEqual([
      ['b', 7],
      ['ü', 1],
    ]);
    expect(list.keys[0]?.modified_at).toMatch(/^\d{4}-.*Z$/);
  });

  it('is empty for a bot that has none', async () => {
    const { store } = setUp();
    expect(await store.list('bot_2')).toEqual({ bot_id: 'bot_2', keys: [], total_bytes: 0, over_quota: false });
    await expect(store.get('bot_2', 'x')).rejects.toMatchObject({ code: 'STATE_KEY_NOT_FOUND' });
  });

  it('gives a value as it is, whatever its names', async () => {
    const { store, put } = setUp();
    put('odd.json', '{"__proto__":{"x":1},"constructor":2}');
    const found = await store.get('bot_1', 'odd');
    expect(JSON.stringify(found.value)).toBe('{"__proto__":{"x":1},"constructor":2}');
    expect(found).toMatchObject({ bot_id: 'bot_1', key: 'odd', size: 37 });
  });

  it('says what is wrong with a value that is not JSON or too large', async () => {
    const { store, put, keys } = setUp();
    put('broken.json', '{"n":');
    await expect(store.get('bot_1', 'broken')).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('"broken" does not hold JSON'),
    });
    // The parser's own message quotes a text that is this short as a whole.
    put('bare.json', 'exchange-key-0123');
    const bare = await store.get('bot_1', 'bare').catch((error: unknown) => String(error));
    expect(bare).toContain('does not hold JSON');
    expect(bare).not.toContain('exchange');
    put('huge.json', '');
    truncateSync(join(keys, 'huge.json'), 10 * 1024 * 1024 + 1);
    await expect(store.get('bot_1', 'huge')).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('marks a bot over quota by what lies anywhere in its folder', async () => {
    const { store, root } = setUp();
    mkdirSync(join(root, 'bot_1', 'deep', 'er'), { recursive: true });
    writeFileSync(join(root, 'bot_1', 'deep', 'er', 'sparse'), '');
    truncateSync(join(root, 'bot_1', 'deep', 'er', 'sparse'), 1024 ** 3 + 1);
    expect(await store.list('bot_1')).toMatchObject({ total_bytes: 1024 ** 3 + 1, over_quota: true });
    await expect(store.set('bot_1', 'more', 1)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  it('never follows a link or waits for a pipe', async () => {
    const { store, keys, root } = setUp();
    writeFileSync(join(root, 'secret.json'), '"secret"');
    symlinkSync(join(root, 'secret.json'), join(keys, 'link.json'));
    execFileSync('mkfifo', [join(keys, 'pipe.json')]);
    for (const key of ['link', 'pipe']) {
      await expect(store.get('bot_1', key)).rejects.toMatchObject({ code: 'STATE_KEY_NOT_FOUND' });
      await expect(store.delete('bot_1', key)).rejects.toMatchObject({ code: 'STATE_KEY_NOT_FOUND' });
    }
    mkdirSync(join(root, 'bot_2'));
    symlinkSync(root, join(root, 'bot_2', '.platform'));
    for (const work of [store.list('bot_2'), store.get('bot_2', 'secret'), store.set('bot_2', 'secret', 1)]) {
      await expect(work).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    }
    expect(readFileSync(join(root, 'secret.json'), 'utf8')).toBe('"secret"');
  });
});

describe('a value that its bot writes in place', () => {
  const START = Date.UTC(2026, 0, 1);

  /** A bot that was made without our SDKs; it goes on with its write when it is waited for. */
  function writer(steps: readonly string[]) {
    const waits: number[] = [];
    let text = '';
    const write = (more: string): void => {
      text = more;
      writeFileSync(file, text);
      utimesSync(file, START / 1000, START / 1000);
    };
    const left = [...steps];
    const { store, keys } = setUp({
      now: () => START + waits.reduce((sum, ms) => sum + ms, 0),
      wait: async (ms) => {
        waits.push(ms);
        const next = left.shift();
        if (next !== undefined) write(next);
      },
    });
    const file = join(keys, 'ticks.json');
    return { store, waits, write, age: (ms: number) => utimesSync(file, (START - ms) / 1000, (START - ms) / 1000) };
  }

  it('is read again until it is whole', async () => {
    const { store, waits, write } = writer(['', '{"n":', '{"n":1}']);
    write('');
    expect(await store.get('bot_1', 'ticks')).toMatchObject({ value: { n: 1 }, size: 7 });
    expect(waits).toHaveLength(3);
  });

  it('is not waited for without end, and it is said that the bot may be at it', async () => {
    const { store, waits, write } = writer([]);
    write('{"n":');
    await expect(store.get('bot_1', 'ticks')).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      hint: expect.stringContaining('ask again'),
    });
    expect(waits.length).toBeGreaterThan(2);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(1000);
  });

  it('is not waited for when nobody has written to it for a while', async () => {
    const { store, waits, write, age } = writer(['1']);
    write('{"n":');
    age(5000);
    await expect(store.get('bot_1', 'ticks')).rejects.toMatchObject({ hint: expect.stringContaining('delete it') });
    expect(waits).toEqual([]);
  });

  it('is not waited for when it is whole', async () => {
    const { store, waits, write } = writer([]);
    write('1');
    expect(await store.get('bot_1', 'ticks')).toMatchObject({ value: 1, size: 1 });
    expect(waits).toEqual([]);
  });
});

describe('changing state', () => {
  it('sets and replaces a key, leaving nothing else behind', async () => {
    const { store, keys } = setUp();
    expect(await store.set('bot_1', 'my key', { n: 1 })).toMatchObject({ key: 'my key', value: { n: 1 }, size: 7 });
    expect(await store.set('bot_1', 'my key', null)).toMatchObject({ value: null });
    expect(readdirSync(keys)).toEqual(['my%20key.json']);
    expect(readFileSync(join(keys, 'my%20key.json'), 'utf8')).toBe('null');
  });

  it('makes the folder of a bot that never ran', async () => {
    const { store } = setUp();
    await store.set('bot_9', 'x', 1);
    expect((await store.list('bot_9')).keys.map((each) => each.key)).toEqual(['x']);
  });

  it('replaces a link instead of writing through it', async () => {
    const { store, keys, root } = setUp();
    writeFileSync(join(root, 'victim'), 'untouched');
    symlinkSync(join(root, 'victim'), join(keys, 'link.json'));
    await store.set('bot_1', 'link', 1);
    expect(readFileSync(join(root, 'victim'), 'utf8')).toBe('untouched');
    expect(await store.get('bot_1', 'link')).toMatchObject({ value: 1 });
  });

  it('refuses bad keys and values that are too large or no JSON', async () => {
    const { store } = setUp();
    await expect(store.set('bot_1', '../x', 1)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(store.get('bot_1', 'a/b')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(store.set('bot_1', 'x', undefined)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(store.set('bot_1', 'x', 'x'.repeat(10 * 1024 * 1024))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(store.set('bot_1', '🚀'.repeat(32), 1)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('file name'),
    });
    expect((await store.list('bot_1')).keys).toEqual([]);
  });

  it('is the file of the bot, as that has spelled the name of the key', async () => {
    const { store, keys, put } = setUp();
    // As the SDKs write it (resources/sdk/vectors), and as other programs may.
    for (const [name, key] of [
      ['%F0%9F%9A%80.json', '🚀'],
      ['%c3%bc.json', 'ü'],
    ] as const) {
      put(name, '"of the bot"');
      expect(await store.get('bot_1', key)).toMatchObject({ value: 'of the bot' });
      await store.set('bot_1', key, 'of its owner');
      expect(readdirSync(keys)).toEqual([name]);
      expect(readFileSync(join(keys, name), 'utf8')).toBe('"of its owner"');
      await store.delete('bot_1', key);
      expect(readdirSync(keys)).toEqual([]);
    }
    put('%C3%BC.json', '"first"');
    put('%c3%bc.json', '"second"');
    expect((await store.list('bot_1')).keys.map(({ key }) => key)).toEqual(['ü']);
    expect(await store.get('bot_1', 'ü')).toMatchObject({ value: 'first' });
    await store.delete('bot_1', 'ü');
    expect(readdirSync(keys)).toEqual([]);
  });

  it('deletes a key once', async () => {
    const { store } = setUp();
    await store.set('bot_1', 'x', 1);
    await store.delete('bot_1', 'x');
    await expect(store.delete('bot_1', 'x')).rejects.toMatchObject({
      code: 'STATE_KEY_NOT_FOUND',
      details: { key: 'x' },
    });
  });

  it('sweeps unfinished writes only', async () => {
    const { store, put, keys } = setUp();
    for (const name of ['.tmp-1-1', '.tmp-77-2', '.tmp-x', 'a.json']) put(name, '1');
    expect(await store.sweepTemp('bot_1')).toBe(2);
    expect(readdirSync(keys).sort()).toEqual(['.tmp-x', 'a.json']);
    expect(await store.sweepTemp('bot_2')).toBe(0);
  });
});

/** As a host that runs as root hands state over to the user inside a container. */
describe.runIf(process.geteuid?.() === 0)('state that belongs to another user', () => {
  const USER = { uid: 65_534, gid: 65_533 };

  it('keeps its owner when a value is written', async () => {
    const { store, keys } = setUp();
    chownSync(keys, USER.uid, USER.gid);
    await store.set('bot_1', 'n', 1);
    await store.set('bot_1', 'n', 2);
    expect(statSync(join(keys, 'n.json'))).toMatchObject({ ...USER, mode: 0o100600 });
  });

  it('keeps its owner when the folder of its values is made', async () => {
    const { store, root } = setUp();
    mkdirSync(join(root, 'bot_2'));
    chownSync(join(root, 'bot_2'), USER.uid, USER.gid);
    await store.set('bot_2', 'n', 1);
    expect(statSync(join(root, 'bot_2/.platform'))).toMatchObject(USER);
    expect(statSync(join(root, 'bot_2/.platform/n.json'))).toMatchObject(USER);
  });
});
