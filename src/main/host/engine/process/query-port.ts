import { randomInt } from 'node:crypto';
import { closeSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { PlatformError } from '../../../../contract/errors.ts';
import { temporaryName } from '../../../../node/atomic-write.ts';
import { openUntrustedSync } from '../../../../node/open-untrusted.ts';
import { systemErrorCode } from '../../../../node/system-error.ts';

/** Below the range of ports for outgoing connections, so that no program gets one by chance. */
const FIRST = 20_000;
const LAST = 31_999;
const ATTEMPTS = 200;

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => done(true)));
  });
}

function readPort(file: string): number | null {
  const fd = openUntrustedSync(file);
  if (fd === 'missing') return null;
  if (fd === 'strange') {
    rmSync(file, { force: true, recursive: true });
    return null;
  }
  try {
    const port = Number(readFileSync(fd, 'latin1'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
  } finally {
    closeSync(fd);
  }
}

/**
 * The loopback port on which the units of one run answer queries (QUERY_PORT). The first unit of the run chooses it and
 * stores it in `file`, so that bot and query program agree, even after a restart of either. Ports in `taken` belong to
 * other runs, listening or not.
 */
export async function queryPortOf(file: string, taken: ReadonlySet<number>): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const known = readPort(file);
    if (known !== null) return known;
    const port = randomInt(FIRST, LAST + 1);
    if (taken.has(port) || !(await isFree(port))) continue;
    const temporary = join(dirname(file), temporaryName());
    writeFileSync(temporary, String(port), { mode: 0o600 });
    try {
      linkSync(temporary, file);
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }
  throw new PlatformError(
    'ENGINE_UNAVAILABLE',
    `No free port between ${FIRST} and ${LAST} was found for the bot's queries.`,
    {
      hint: 'Stop some bots or programs that listen on many ports.',
      retryAfter: 60,
    },
  );
}
