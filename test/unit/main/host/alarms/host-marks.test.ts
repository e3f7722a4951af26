import { expect, it } from 'vitest';
import type { Clocks } from '../../../../../src/main/host/alarms/clock-watch.ts';
import { HostAlarms } from '../../../../../src/main/host/alarms/host-events.ts';
import {
  BackupAlarms,
  MarkedClocks,
  markRunning,
  unmarkRunning,
} from '../../../../../src/main/host/alarms/host-marks.ts';
import { dropWaitingAlarms } from '../../../../../src/main/host/control/alarm-store.ts';
import { alarmsHere, NOON } from '../../../../support/alarms-here.ts';

const HOUR = 3_600_000;

/** What alarms of a host need, over the database of `here`. */
function hostOf(here: ReturnType<typeof alarmsHere>) {
  const ofHost = new HostAlarms({
    store: here.store,
    outbox: here.alarms.outbox,
    newId: (prefix) => here.ids.next(prefix),
    now: () => here.clock.ms,
    onError: (where, error) => here.errors.push([where, error]),
  });
  return { store: here.store, ofHost };
}

/** From here on the disk takes no alarm; the function that is returned ends that. */
function fullDisk(here: ReturnType<typeof alarmsHere>): () => void {
  here.db.pragma(`max_page_count = ${Number(here.db.pragma('page_count', { simple: true }))}`);
  const filler = {
    user_id: 'user_2',
    bot_id: null,
    at: 0,
    event: 'x',
    severity: 'info',
    title: '',
    note: null,
  } as const;
  // Ever shorter ones fill what the longer ones have left.
  for (const length of [2000, 200, 20, 0]) {
    try {
      for (let n = 0; ; n++) {
        const id = `${length}_${n}`;
        here.store.addAlarm({ ...filler, alarm_id: id, source: id, text: 'x'.repeat(length) });
      }
    } catch (error) {
      expect(error).toMatchObject({ code: 'SQLITE_FULL' });
    }
  }
  return () => void here.db.pragma('max_page_count = 1000000');
}

const told = (here: ReturnType<typeof alarmsHere>) =>
  here
    .log()
    .map(({ event, text }) => [event, text])
    .reverse();

it('tells of each host that ended without being stopped, also of one whose successor died before it could tell', () => {
  const here = alarmsHere();
  const host = hostOf(here);
  const first = { pid: 101, startedAt: NOON };
  markRunning(host, { ...first, died: null, isCopied: false });
  // 101 is killed; 102 begins, is seen, and is killed before it tells; 103 comes.
  const died = { pid: 102, seenAt: NOON + HOUR };
  markRunning(host, { pid: 103, startedAt: NOON + 2 * HOUR, died, isCopied: false });
  expect(told(here)).toEqual([
    ['host_crashed', 'An earlier one (process 101, started at 2026-11-29T12:00:00.000Z) ended without being stopped.'],
    [
      'host_crashed',
      'The last one (process 102) ended without being stopped, a few seconds after 2026-11-29T13:00:00.000Z.',
    ],
  ]);
  // An ordinary crash is told once.
  markRunning(host, { pid: 104, startedAt: NOON, died: { pid: 103, seenAt: NOON }, isCopied: false });
  expect(told(here)).toHaveLength(3);
});

it('tells nothing of a host that was stopped, of the original of a copy, and of the host of a backup', () => {
  const here = alarmsHere();
  const host = hostOf(here);
  markRunning(host, { pid: 1, startedAt: NOON, died: null, isCopied: false });
  // A host that cannot start ends as well, and has not told of the crash of 1.
  unmarkRunning(host, { pid: 2, startedAt: NOON });
  expect(here.store.mark('running')).toContain('"pid":1');
  unmarkRunning(host, { pid: 1, startedAt: NOON });
  markRunning(host, { pid: 3, startedAt: NOON, died: null, isCopied: false });
  markRunning(host, { pid: 4, startedAt: NOON, died: { pid: 3, seenAt: NOON }, isCopied: true });
  dropWaitingAlarms(here.db, NOON);
  markRunning(host, { pid: 5, startedAt: NOON, died: null, isCopied: false });
  expect(told(here)).toEqual([]);
});

it('stores a mark together with what it tells, or neither, and tells once the disk takes it', () => {
  const here = alarmsHere();
  const host = hostOf(here);
  here.alarms.rules('user_1');
  markRunning(host, { pid: 1, startedAt: NOON, died: null, isCopied: false });
  const free = fullDisk(here);
  markRunning(host, { pid: 2, startedAt: NOON, died: { pid: 1, seenAt: NOON }, isCopied: false });
  expect(here.store.mark('running')).toContain('"pid":1');
  expect(told(here)).toEqual([]);
  host.ofHost.settle();
  expect(here.errors).toHaveLength(1);
  free();
  here.clock.ms += HOUR;
  host.ofHost.settle();
  expect(here.store.mark('running')).toContain('"pid":2');
  expect(here.log()).toMatchObject([{ event: 'host_crashed', at: new Date(NOON).toISOString() }]);
  host.ofHost.settle();
  expect(here.log()).toHaveLength(1);
});

it('tells of sleep and of a clock that was set over the death of a host, once, and not after a start of the machine', () => {
  const here = alarmsHere();
  const host = hostOf(here);
  const at = { wall: NOON, steady: 0, up: 0 };
  const clocks: Clocks = { wall: () => at.wall, steady: () => at.steady, up: () => at.up };
  const begin = (boot: string) => new MarkedClocks(host, boot, clocks, 5000);
  const pass = (wall: number, steady: number, up: number): void => {
    at.wall += wall;
    at.steady += steady;
    at.up += up;
  };
  begin('boot-1').look(() => 0);
  // The host dies; the machine sleeps for two hours, and its clock is set back by three.
  pass(-HOUR + 60_000, 60_000, 2 * HOUR + 60_000);
  begin('boot-1').look(() => 2);
  begin('boot-1').look(() => 2);
  expect(told(here).map(([event]) => event)).toEqual(['slept', 'clock_jumped']);
  // A day without a host is no sleep.
  pass(24 * HOUR, 24 * HOUR, 24 * HOUR);
  begin('boot-1').look(() => 0);
  pass(HOUR, -at.steady, -at.up);
  begin('boot-2').look(() => 0);
  expect(told(here)).toHaveLength(2);
});

it('tells of a backup that failed, and of one that the end of a host has cut short', () => {
  const here = alarmsHere();
  const { store, ofHost } = hostOf(here);
  const backups = new BackupAlarms({ store, ofHost });
  backups.tellOfCut();
  backups.begun(NOON);
  backups.ended(null);
  backups.tellOfCut();
  expect(told(here)).toEqual([]);
  backups.begun(NOON);
  backups.ended('No space is left for the backup');
  backups.begun(NOON);
  // The host is killed.
  const next = new BackupAlarms({ store, ofHost });
  next.tellOfCut();
  next.tellOfCut();
  expect(told(here)).toEqual([
    ['backup_failed', 'No space is left for the backup.'],
    [
      'backup_failed',
      'The host ended while it was made, and nothing of it counts. It was begun at 2026-11-29T12:00:00.000Z.',
    ],
  ]);
});
