import { createServer } from 'node:net';
import type { TestContext } from 'vitest';
import { systemErrorCode } from '../../src/node/system-error.ts';
import { until } from './until.ts';

/** Has another program take a port of this machine until the test ends, once the threads of a killed one have left it. */
export async function takePort(port: number, onTestFinished: TestContext['onTestFinished']): Promise<void> {
  await until(`port ${port} to be free`, async () => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const thief = createServer();
    thief.once('error', (error) => (systemErrorCode(error) === 'EADDRINUSE' ? resolve(false) : reject(error)));
    thief.listen(port, '127.0.0.1', () => resolve(true));
    const isTaken = await promise;
    if (isTaken) onTestFinished(() => void thief.close());
    return isTaken;
  });
}
