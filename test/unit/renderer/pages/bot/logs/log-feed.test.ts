import { describe, expect, it, vi } from 'vitest';
import { HostError } from '../../../../../../src/renderer/data/host-error.ts';
import { LogFeed } from '../../../../../../src/renderer/pages/bot/logs/log-feed.ts';
import { NO_FILTER } from '../../../../../../src/renderer/pages/bot/logs/log-filter.ts';
import { WINDOW_LINES } from '../../../../../../src/renderer/pages/bot/logs/log-window.ts';
import { FakeLog } from './fake-log.ts';

/** A feed on a log, and what it holds as `first-last`. */
async function opened(log: FakeLog, { filter = NO_FILTER, line = null as number | null } = {}) {
  const feed = new LogFeed(log.socket, 'bot_1');
  await feed.start(filter, line);
  const seqs = (): number[] => feed.store.getState().window.entries.map((entry) => entry.seq);
  const held = (): string => `${seqs()[0] ?? ''}-${seqs().at(-1) ?? ''}`;
  const isWhole = (): boolean => seqs().every((seq, i) => i === 0 || seq === (seqs()[i - 1] ?? 0) + 1);
  const settled = () => vi.waitFor(() => expect(feed.store.getState().reading).toBeNull(), 30_000);
  return { feed, seqs, held, isWhole, settled, state: () => feed.store.getState() };
}

describe('the log of a bot in a page', () => {
  it('begins with the newest lines and reads older ones up to the first', async () => {
    const { feed, held, isWhole, settled, state } = await opened(new FakeLog(600));
    expect([held(), state().atEnd, state().following, state().bounds]).toEqual([
      '351-600',
      true,
      true,
      { first: 1, last: 600 },
    ]);
    for (let i = 0; i < 2; i++) {
      feed.more('older');
      await settled();
    }
    expect([held(), isWhole(), state().window.atStart]).toEqual(['1-600', true, true]);
  });

  it('holds the same number of lines however far one goes, and finds back to the end', async () => {
    const { feed, held, isWhole, settled, state } = await opened(new FakeLog(6000));
    for (let i = 0; i < 12; i++) {
      feed.setFollowing(false);
      feed.more('older');
      await settled();
      expect(state().window.entries.length).toBeLessThanOrEqual(WINDOW_LINES);
    }
    expect([held(), isWhole(), state().atEnd]).toEqual(['2751-4250', true, false]);
    for (let i = 0; i < 8; i++) {
      feed.more('newer');
      await settled();
      expect(isWhole()).toBe(true);
    }
    expect([held(), state().atEnd]).toEqual(['4501-6000', true]);
  });

  it('shows what arrives while it is followed, and counts it otherwise', async () => {
    const log = new FakeLog(300);
    const { feed, held, isWhole, state } = await opened(log);
    log.print(20);
    await vi.waitFor(() => expect(held()).toBe('51-320'), 30_000);
    feed.setFollowing(false);
    log.print(7);
    await vi.waitFor(() => expect(state().fresh).toBe(7), 30_000);
    expect([held(), state().atEnd]).toEqual(['51-320', false]);
    feed.jumpToEnd();
    expect([held(), isWhole(), state().following, state().fresh]).toEqual(['51-327', true, true, 0]);
  });

  it('shows each line once when a call knows it before the stream brings it', async () => {
    const log = new FakeLog(300);
    const { feed, seqs, isWhole, settled, state } = await opened(log);
    const late = async (act: () => void): Promise<void> => {
      log.isHeld = true;
      log.print(5);
      act();
      await settled();
      feed.setFollowing(true);
      log.print(5);
      const last = log.lines.length;
      log.release();
      await vi.waitFor(() => expect(seqs().at(-1)).toBe(last), 30_000);
      await new Promise((done) => setTimeout(done, 70));
      expect([isWhole(), seqs().at(-1), state().atEnd]).toEqual([true, last, true]);
    };
    await late(() => feed.setFilter({ ...NO_FILTER, source: 'stdout' }, null));
    await late(() => feed.setFilter(NO_FILTER, null));
    feed.jumpTo(1);
    await settled();
    await late(() => feed.jumpToEnd());
    feed.setFilter({ ...NO_FILTER, source: 'stdout' }, 200);
    await settled();
    await late(() => feed.setFilter(NO_FILTER, 310));
  });

  it('shows each line once when the log was opened before the stream brought it', async () => {
    const log = new FakeLog(300);
    const feed = new LogFeed(log.socket, 'bot_1');
    log.isHeld = true;
    const started = feed.start(NO_FILTER, null);
    log.print(5);
    await started;
    log.print(5);
    log.release();
    const seqs = () => feed.store.getState().window.entries.map((entry) => entry.seq);
    await vi.waitFor(() => expect(seqs().at(-1)).toBe(310), 30_000);
    expect(new Set(seqs()).size).toBe(seqs().length);
  });

  it('does not call lines fresh that came while it went to where they are', async () => {
    const log = new FakeLog(300);
    const { feed, seqs, settled, state } = await opened(log, { line: 10 });
    feed.setFilter({ ...NO_FILTER, source: 'stdout' }, 295);
    log.print(5);
    await settled();
    await new Promise((done) => setTimeout(done, 70));
    expect([seqs().at(-1), state().fresh, state().atEnd]).toEqual([305, 0, true]);
  });

  it('keeps only the newest lines of a flood, without a hole', async () => {
    const log = new FakeLog(300);
    const { seqs, isWhole, state } = await opened(log);
    for (let i = 0; i < 60; i++) log.print(500);
    await vi.waitFor(() => expect(seqs().at(-1)).toBe(30_300), 30_000);
    expect([isWhole(), state().window.entries.length <= WINDOW_LINES, state().atEnd]).toEqual([true, true, true]);
  });

  it('goes to any line and to a time', async () => {
    const { feed, held, isWhole, settled, state } = await opened(new FakeLog(5000), { line: 2000 });
    expect([held(), isWhole(), state().following, state().target]).toEqual(['1750-2249', true, false, { seq: 2000 }]);
    feed.jumpTo(2100);
    expect(state().target).toEqual({ seq: 2100 });
    await feed.jumpToTime(new Date(Date.UTC(2026, 8, 30, 12, 0, 900)).toISOString());
    expect(state().target).toEqual({ seq: 900 });
    feed.jumpToStart();
    await settled();
    expect([held(), state().window.atStart]).toEqual(['1-250', true]);
    feed.jumpToEnd();
    await settled();
    expect([held(), state().following]).toEqual(['4751-5000', true]);
  });

  it('reads what a filter keeps, also of what arrives', async () => {
    const log = new FakeLog(1000);
    log.print(3, { level: 'error' });
    const { seqs, feed, settled } = await opened(log, { filter: { ...NO_FILTER, level: 'error' } });
    expect(seqs()).toEqual([1001, 1002, 1003]);
    log.print(5);
    log.print(1, { level: 'error' });
    await vi.waitFor(() => expect(seqs()).toEqual([1001, 1002, 1003, 1009]), 30_000);
    feed.setFilter({ ...NO_FILTER, level: 'warn', source: 'host' }, null);
    await settled();
    expect(seqs()).toEqual([]);
    log.print(1, { level: 'warn', source: 'host' });
    await vi.waitFor(() => expect(seqs()).toEqual([1010]), 30_000);
  });

  it('goes on where a search of the host had to stop, to both sides', async () => {
    const log = new FakeLog(1000);
    log.step = 60;
    for (const seq of [10, 500, 990]) log.lines[seq - 1] = { ...log.lines[seq - 1], message: 'order' } as never;
    const filter = { ...NO_FILTER, text: 'order' };
    const { feed, seqs, settled, state } = await opened(log, { filter });
    expect(seqs()).toEqual([990]);
    for (let i = 0; i < 3; i++) {
      feed.more('older');
      await settled();
    }
    expect([seqs(), state().window.atStart]).toEqual([[10, 500, 990], true]);
    feed.jumpToStart();
    await settled();
    for (let i = 0; i < 60 && !state().atEnd; i++) {
      feed.more('newer');
      await settled();
    }
    expect([seqs(), state().atEnd]).toEqual([[10, 500, 990], true]);
  });

  it('stays at a line when the filter changes around it', async () => {
    const { feed, settled, state } = await opened(new FakeLog(3000), { line: 1500 });
    feed.setFilter({ ...NO_FILTER, source: 'stdout' }, 1500);
    await settled();
    expect([state().target, state().following]).toEqual([{ seq: 1500 }, false]);
  });

  it('reads the newest lines anew when too many were missed', async () => {
    const log = new FakeLog(300);
    const { held, state } = await opened(log);
    log.link('lost');
    log.printUnseen(50_000);
    log.link('open');
    await vi.waitFor(() => expect(held()).toBe('50051-50300'), 30_000);
    expect([log.followedAfter, state().following]).toEqual([[300, 50_300], true]);
  });

  it('leaves what was missed to the stream when it is little', async () => {
    const log = new FakeLog(300);
    await opened(log);
    const before = log.calls.length;
    log.link('lost');
    log.printUnseen(100);
    log.link('open');
    await vi.waitFor(() => expect(log.calls.length).toBe(before + 1), 30_000);
    expect(log.followedAfter).toEqual([300]);
  });

  it('says what went wrong and tries again', async () => {
    const log = new FakeLog(300);
    log.failWith = new Error('no');
    const { feed, state, settled, held } = await opened(log);
    expect([state().error?.message, state().reading]).toEqual(['no', null]);
    log.failWith = null;
    feed.retry();
    await settled();
    expect([state().error, held()]).toEqual([null, '51-300']);
  });

  it('follows live after it could not begin, by hand or when the connection is back', async () => {
    for (const how of ['retry', 'link', 'filter'] as const) {
      const log = new FakeLog(300);
      log.failWith = HostError.lost();
      const { feed, seqs, isWhole, settled, held } = await opened(log);
      log.failWith = null;
      log.link('lost');
      if (how === 'retry') feed.retry();
      else if (how === 'link') log.link('open');
      else feed.setFilter({ ...NO_FILTER, source: 'stdout' }, null);
      await settled();
      expect(held()).toBe('51-300');
      log.print(5);
      await vi.waitFor(() => expect(seqs().at(-1)).toBe(305), 30_000);
      expect([isWhole(), log.followedAfter]).toEqual([true, [300]]);
    }
  });

  it('says that the host has ended the stream, and follows again', async () => {
    const log = new FakeLog(300);
    const { feed, seqs, isWhole, settled, state, held } = await opened(log);
    log.end(null);
    expect(state().error?.message).toBe('The host has stopped sending new lines');
    log.print(5);
    feed.jumpToEnd();
    await settled();
    expect([held(), state().error]).toEqual(['56-305', null]);

    feed.setFollowing(false);
    log.end(
      new HostError({ code: 'ENGINE_UNAVAILABLE', message: 'no more', hint: null, details: null, request_id: null }),
    );
    log.print(5);
    expect(state().error?.message).toBe('no more');
    feed.retry();
    await settled();
    expect([held(), state().error, state().atEnd]).toEqual(['56-305', null, false]);
    feed.jumpToEnd();
    await settled();
    log.print(1);
    await vi.waitFor(() => expect(seqs().at(-1)).toBe(311), 30_000);
    expect(isWhole()).toBe(true);
  });

  it('tries a filter again that failed, and shows nothing of another until then', async () => {
    const log = new FakeLog(300);
    const { feed, seqs, settled } = await opened(log);
    log.failWith = new Error('no');
    feed.setFilter({ ...NO_FILTER, level: 'error' }, null);
    await settled();
    log.failWith = null;
    log.print(2, { level: 'error' });
    await new Promise((done) => setTimeout(done, 70));
    expect(seqs().at(-1)).toBe(300);
    feed.retry();
    await settled();
    expect(seqs()).toEqual([301, 302]);
  });
});
