import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { rawRequest } from '../support/raw-http.ts';
import { END, tarEntry } from '../unit/packaging/raw-tar.ts';
import { rawZip } from '../unit/packaging/raw-zip.ts';

/**
 * S2: a package that grows when it is unpacked is stopped while it streams. Every limit by itself, with small numbers, is in
 * test/unit/packaging/unpack.test.ts; here the limits are those of the product and the host is the real one.
 */
const host = new TestHost();
beforeAll(async () => {
  await host.start();
});
afterAll(() => host.stop());

const MIB = 2 ** 20;
/** The most memory that the host ever had, in bytes. */
const peak = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${host.pid}/status`, 'utf8'))?.[1]) * 1024;

const zeros = (bytes: number): Buffer => {
  const head = tarEntry({ name: 'zeros', size: bytes });
  return gzipSync(Buffer.concat([head, Buffer.alloc(bytes), END]), { level: 9 });
};
/** More entries than a package may have, in a few hundred kilobytes. */
const entries = (count: number): Buffer =>
  gzipSync(Buffer.concat([...Array.from({ length: count }, (_, n) => tarEntry({ name: `f${n}` })), END]), { level: 1 });

/** What each is, how it is made, and why it is refused: without a bot in it, it would be in any case. */
const BOMBS: readonly (readonly [string, () => Buffer, RegExp])[] = [
  ['unpacks to a thousand times its size', () => zeros(96 * MIB), /more than 200 times its size/],
  ['is a bomb within a bomb', () => gzipSync(zeros(96 * MIB)), /more data after its end/],
  [
    'says that a file of it is 8 GiB',
    () => gzipSync(Buffer.concat([tarEntry({ name: 'huge', size: 8 * 2 ** 30 - 1 }), END])),
    /ends too early/,
  ],
  [
    'is a zip that unpacks to a thousand times its size',
    () => rawZip([{ name: 'zeros', content: Buffer.alloc(96 * MIB) }]),
    /more than 200 times its size/,
  ],
  [
    'is a zip that says it unpacks to a little',
    () => rawZip([{ name: 'zeros', content: Buffer.alloc(96 * MIB), size: 1000 }]),
    /damaged/,
  ],
  [
    'says that a file of it is smaller than it is',
    () => gzipSync(Buffer.concat([tarEntry({ name: 'a', size: 1, content: 'x'.repeat(4096) }), END])),
    /impossible size|damaged/,
  ],
];

/** Takes a quarter of a minute of writing files, so only where the figures of the report are made. */
const MANY: typeof BOMBS =
  rounds(0, 1) === 0 ? [] : [['has more entries than one may have', () => entries(60_000), /more than 50000 files/]];

it('stops packages that grow, with little memory, leaves nothing and answers others meanwhile', async () => {
  const before = peak();
  let slowest = 0;
  for (const [what, make, why] of [...BOMBS, ...MANY]) {
    const body = make();
    const sent = rawRequest(`${host.url}/api/v1/custom-bots`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/gzip' },
      body,
    });
    let done = false;
    const answered = sent.finally(() => {
      done = true;
    });
    while (!done) {
      const begun = performance.now();
      await rawRequest(`${host.url}/healthz`);
      slowest = Math.max(slowest, performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const answer = await answered;
    expect([what, answer.status, answer.json().error.code]).toEqual([what, 400, 'INVALID_PACKAGE']);
    expect(answer.json().error.details[0].message, what).toMatch(why);
  }
  const grown = (peak() - before) / MIB;
  expect(grown).toBeLessThan(200);
  expect(readdirSync(join(host.dataDir, 'catalog'), { recursive: true })).toEqual(['.incoming']);
  await prove('S2', 'packages that grow when they are unpacked', {
    tried: BOMBS.length + MANY.length,
    refused: BOMBS.length + MANY.length,
    'memory, MiB more': Math.round(grown),
    'slowest answer to others meanwhile, ms': Math.round(slowest),
  });
});
