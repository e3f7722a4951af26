import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, type TestContext } from 'vitest';
import type { Discovery } from '../../../../src/contract/host.ts';
import { findHost } from '../../../../src/main/desktop/host-finder.ts';
import { openDataFolder } from '../../../../src/node/data-folder.ts';
import { acquireLock } from '../../../../src/node/pid-lock-file.ts';
import { tempDir } from '../../../support/temp.ts';

/** A program that answers everything with 200, as a server of pages under development does, and what it was asked. */
async function answersAll(onTestFinished: TestContext['onTestFinished']) {
  const asked: string[] = [];
  const server = createServer(({ headers }, answer) => {
    asked.push(headers.authorization ?? '');
    answer.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { asked, port, url: `http://127.0.0.1:${port}` };
}

describe('findHost', () => {
  it('takes nobody for the host who only answers at its port, and shows them no token', async ({ onTestFinished }) => {
    const folder = openDataFolder(tempDir());
    const { asked, port, url } = await answersAll(onTestFinished);
    expect(await findHost(folder.root)).toBeNull();
    const left: Discovery = {
      url,
      port,
      pid: process.pid,
      started_at: '2026-01-01T00:00:00.000Z',
      version: '1.0.0',
      token: 'local_x',
    };
    const write = (pid: number): void => writeFileSync(folder.hostFile, JSON.stringify({ ...left, pid }));
    write(process.pid);
    expect([await findHost(folder.root), asked]).toEqual([null, []]);
    const lock = await acquireLock(folder.lockFile);
    // The next host has the folder already, and the file is still that of the one before.
    write(process.ppid);
    expect([await findHost(folder.root), asked]).toEqual([null, []]);
    write(process.pid);
    expect(await findHost(folder.root)).toEqual({ url, token: 'local_x', pid: process.pid });
    expect(asked).toEqual(['Bearer local_x']);
    lock.release();
  });
});
