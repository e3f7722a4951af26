import { expect, it } from 'vitest';
import { PlatformError } from '../../../../../src/contract/errors.ts';
import { errorToBody } from '../../../../../src/main/host/logs/worker-protocol.ts';

const failing = (code: string): Error => Object.assign(new Error('disk I/O error'), { code });

it.each(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC'])(
  'says that no space is left, where SQLite says %s',
  (code) => {
    expect(errorToBody(failing(code))).toMatchObject({ code: 'STORAGE_FULL' });
  },
);

it('names what SQLite found, which has one sentence for many things', () => {
  const body = errorToBody(failing('SQLITE_IOERR_FSYNC'));
  expect(body).toMatchObject({
    code: 'INTERNAL',
    message: 'The log store failed: disk I/O error (SQLITE_IOERR_FSYNC)',
  });
  expect(errorToBody('gone').message).toBe('The log store failed: gone');
});

it('leaves an error of the platform as it is', () => {
  expect(errorToBody(new PlatformError('BOT_NOT_FOUND', 'No such bot')).code).toBe('BOT_NOT_FOUND');
});
