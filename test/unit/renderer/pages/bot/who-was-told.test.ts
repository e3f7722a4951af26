import { expect, it } from 'vitest';
import type { Alarm } from '../../../../../src/contract/alarms.ts';
import { alarmsOfFailure } from '../../../../../src/renderer/pages/bot/who-was-told.ts';

const alarm = (event: string, at: string): Alarm => ({
  ...{ alarm_id: `${event} ${at}`, seq: 1, event, severity: 'warning', bot_id: 'bot_1' },
  at: `2026-11-29T${at}:00.000Z`,
  ...{ title: '', text: '', note: null, deliveries: [] },
});
const told = (log: readonly Alarm[], at: string) =>
  alarmsOfFailure(log, `2026-11-29T${at}:00.000Z`).map(({ alarm_id }) => alarm_id.slice(0, -6));

it('finds the alarm that began a failure that goes on, and leaves out signals', () => {
  const log = [alarm('crash_loop', '12:05'), alarm('signal', '12:04'), alarm('failed', '12:00')];
  expect(told(log, '14:00')).toEqual(['crash_loop', 'failed']);
});

it('leaves out failures of which the bot has recovered before', () => {
  const log = [alarm('failed', '13:00'), alarm('recovered', '12:10'), alarm('failed', '12:00')];
  expect(told(log, '13:00')).toEqual(['failed']);
  expect(told([alarm('recovered', '12:10'), alarm('failed', '12:00')], '13:00')).toEqual([]);
});
