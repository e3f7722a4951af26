import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestHost } from '../support/platform.ts';
import { prove } from '../support/proof.ts';
import { call, publish } from '../support/tiny-bot.ts';
import { paxHeader, type RawEntry, tarGz } from '../unit/packaging/raw-tar.ts';

/**
 * S1: a package that would write where it should not is refused as a whole, over the way that a package comes. Each single
 * form of a name and each kind of damage is in test/unit/packaging/unpack.test.ts; here it is shown that a host which is
 * sent one keeps nothing of it, on its disk and in its catalogue.
 */
const host = new TestHost();
const ESCAPED = join('/tmp', `escaped-${process.pid}-${Date.now()}`);
beforeAll(async () => {
  await host.start();
});
afterAll(() => host.stop());

const CONFIG =
  'name: tricky\nversion: "1.0.0"\ntype: realtime\nruntime: python311\nentrypoints:\n  bot: main.py\nschema:\n  bot: s.json\n';
/** What makes the package a good one but for the trick. */
const GOOD: readonly RawEntry[] = [
  { name: 'bot-config.yaml', content: CONFIG },
  { name: 's.json', content: '{"type":"object","title":"t","description":"d","properties":{}}' },
  { name: 'main.py', content: 'print(1)' },
];

const up = '../'.repeat(12);
const TRICKS: readonly (readonly [string, readonly (RawEntry | Buffer)[]])[] = [
  ['climbs out', [{ name: `${up}${ESCAPED.slice(1)}`, content: 'x' }]],
  ['is absolute', [{ name: ESCAPED, content: 'x' }]],
  ['climbs out the Windows way', [{ name: '..\\..\\evil', content: 'x' }]],
  ['climbs out by an extended header', [paxHeader({ path: `${up}${ESCAPED.slice(1)}` }), { name: 'a', content: 'x' }]],
  ['is a link', [{ name: 'l', type: '2', link: '/etc/passwd' }]],
  ['is a link inside', [{ name: 'l', type: '2', link: 'main.py' }]],
  [
    'is written through a link',
    [
      { name: 'l', type: '2', link: '/tmp' },
      { name: `l/${ESCAPED.slice(5)}`, content: 'x' },
    ],
  ],
  ['is a hard link', [{ name: 'l', type: '1', link: '/etc/passwd' }]],
  ['is a device', [{ name: 'd', type: '3' }]],
  ['is a pipe', [{ name: 'p', type: '6' }]],
  ['is there twice', [{ name: 'main.py', content: 'print(2)' }]],
  ['is there in other letters', [{ name: 'Main.py', content: 'print(2)' }]],
  ['is there in another Unicode form', [{ name: 'caf\u00e9' }, { name: 'cafe\u0301' }]],
  ['has a name that Windows keeps', [{ name: 'CON', content: 'x' }]],
];

const send = (bytes: Buffer): Promise<Response> =>
  host.fetch('/api/v1/custom-bots', {
    method: 'POST',
    body: new Uint8Array(bytes),
    headers: { 'content-type': 'application/gzip' },
  });

/** Paths below the data folder, but for the databases and logs of the host itself. */
const onDisk = (): string[] =>
  readdirSync(host.dataDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/^(control\.db|host\.log|backups)/.test(path))
    .sort();

describe('a package with an entry that', () => {
  it.each(TRICKS)('%s is refused, and nothing of it is left', async (_, entries) => {
    const before = onDisk();
    const answer = await send(tarGz([...GOOD, ...entries]));
    const { error } = (await answer.json()) as { error: { code: string; details: { message: string }[] } };
    expect([answer.status, error.code]).toEqual([400, 'INVALID_PACKAGE']);
    expect(error.details[0]?.message).toBeTruthy();
    expect(onDisk()).toEqual(before);
    expect(existsSync(ESCAPED)).toBe(false);
    expect(await call(host, 'GET', '/api/v1/custom-bots')).toEqual({ items: [] });
  });
});

it('takes the same package without a trick, with plain modes whatever it says, and keeps it closed to others', async () => {
  const answer = await send(tarGz([...GOOD, { name: 'run', content: '#!/bin/sh\n', mode: 0o6755 }]));
  expect(answer.status, await answer.clone().text()).toBe(201);
  const written = onDisk().filter((path) => path.endsWith('/run') || path.endsWith('/main.py'));
  expect(written.length).toBe(2);
  for (const path of written) {
    const expected = path.endsWith('/run') ? 0o555 : 0o444;
    expect([path, statSync(join(host.dataDir, path)).mode & 0o7777]).toEqual([path, expected]);
  }
  expect((await publish(host, { name: 'another-one', bot: '' })).status).toBe(201);
  await prove('S1', 'packages that would write where they should not', {
    tried: TRICKS.length,
    refused: TRICKS.length,
  });
});
