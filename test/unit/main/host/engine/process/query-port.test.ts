import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queryPortOf } from '../../../../../../src/main/host/engine/process/query-port.ts';
import { tempDir } from '../../../../../support/temp.ts';

describe('the query port of a run', () => {
  it('is the same for all who ask, also at once', async () => {
    const file = join(tempDir(), 'query.port');
    const ports = await Promise.all(Array.from({ length: 8 }, () => queryPortOf(file, new Set())));
    expect(new Set(ports).size).toBe(1);
    expect(await queryPortOf(file, new Set(ports))).toBe(ports[0]);
  });

  it('can be listened on and belongs to no other run', async () => {
    const dir = tempDir();
    const taken = new Set(Array.from({ length: 11_990 }, (_, n) => 20_000 + n));
    const port = await queryPortOf(join(dir, 'a'), new Set([20_000])).then(async (first) => {
      const server = createServer().listen(first, '127.0.0.1');
      await new Promise((done) => server.once('listening', done));
      await new Promise((done) => server.close(done));
      return first;
    });
    expect(port).toBeGreaterThan(20_000);
    expect(port).toBeLessThan(32_000);
    await expect(
      queryPortOf(join(dir, 'b'), new Set([...taken, ...Array.from({ length: 10 }, (_, n) => 31_990 + n)])),
    ).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
    });
  });
});
