import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HostError } from '../../../../src/renderer/data/host-error.ts';
import { followTail, type LogTail } from '../../../../src/renderer/data/log-tail.ts';
import { FakeLog } from '../pages/bot/logs/fake-log.ts';

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => {
    draw();
    return 0;
  });
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
});
afterEach(() => vi.unstubAllGlobals());

function followed(log: FakeLog) {
  let tail: LogTail = { lines: null, error: null };
  const stop = followTail(log.socket, 'bot_1', 3, (next) => {
    tail = next;
  });
  return { stop, seqs: () => tail.lines?.map((line) => line.seq) ?? null, error: () => tail.error };
}

it('reads the newest lines when the connection is back after the first read failed, and follows them', async () => {
  const log = new FakeLog(10);
  log.failWith = HostError.lost();
  const { seqs, error } = followed(log);
  await vi.waitFor(() => expect(error()?.code).toBe('CONNECTION_LOST'), 30_000);
  expect(seqs()).toBeNull();
  log.failWith = null;
  log.link('lost');
  log.link('open');
  await vi.waitFor(() => expect(seqs()).toEqual([8, 9, 10]), 30_000);
  expect(error()).toBeNull();
  log.print(1);
  expect(seqs()).toEqual([9, 10, 11]);
});

it('begins once, and again only after the stream has ended', async () => {
  const log = new FakeLog(10);
  const { seqs, error, stop } = followed(log);
  log.link('open');
  await vi.waitFor(() => expect(seqs()).toEqual([8, 9, 10]), 30_000);
  log.link('lost');
  log.link('open');
  expect(log.calls).toHaveLength(1);
  log.end(HostError.lost());
  expect(error()).not.toBeNull();
  log.print(1);
  log.link('open');
  await vi.waitFor(() => expect(seqs()).toEqual([9, 10, 11]), 30_000);
  expect(log.followedAfter).toEqual([10, 11]);
  stop();
});
