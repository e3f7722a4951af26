import { describe, expect, it } from 'vitest';
import { decideDue, MISSED_RECORDED } from '../../../../../src/main/host/schedule/due.ts';
import { parseSchedule } from '../../../../../src/shared/schedule.ts';

const at = (text: string): number => Date.parse(`${text}Z`);
const hourly = parseSchedule('0 * * * *', 'UTC');
const daily = parseSchedule('0 14 * * *', 'UTC');

describe('what is due', () => {
  it('runs a due time that is noticed at once', () => {
    const due = decideDue(hourly, at('2026-01-01T10:00:00'), at('2026-01-01T11:00:00'), 'run_once');
    expect(due).toEqual({
      run: { scheduledAt: at('2026-01-01T11:00:00'), trigger: 'schedule' },
      missed: [],
      missedMore: 0,
    });
  });

  it('leaves a decided due time alone', () => {
    const due = decideDue(hourly, at('2026-01-01T11:00:00'), at('2026-01-01T11:00:09'), 'run_once');
    expect(due).toEqual({ run: null, missed: [], missedMore: 0 });
  });

  it('makes up once for a missed time under an hour old and records the others', () => {
    const due = decideDue(hourly, at('2026-01-01T07:00:00'), at('2026-01-01T11:30:00'), 'run_once');
    expect(due.run).toEqual({ scheduledAt: at('2026-01-01T11:00:00'), trigger: 'catch_up' });
    expect(due.missed).toEqual(['08', '09', '10'].map((hour) => at(`2026-01-01T${hour}:00:00`)));
  });

  it('makes up at 59 min 59 s and not at 60 min', () => {
    const from = at('2026-01-01T13:00:00');
    expect(decideDue(daily, from, at('2026-01-01T14:59:59'), 'run_once').run?.trigger).toBe('catch_up');
    const late = decideDue(daily, from, at('2026-01-01T15:00:00'), 'run_once');
    expect(late).toEqual({ run: null, missed: [at('2026-01-01T14:00:00')], missedMore: 0 });
  });

  it('only records when the instance does not catch up', () => {
    const due = decideDue(daily, at('2026-01-01T13:00:00'), at('2026-01-01T14:10:00'), 'skip');
    expect(due).toEqual({ run: null, missed: [at('2026-01-01T14:00:00')], missedMore: 0 });
  });

  it('records the newest of a year of missed minutes and counts the rest', () => {
    const due = decideDue(
      parseSchedule('* * * * *', 'UTC'),
      at('2025-01-01T00:00:00'),
      at('2025-01-02T00:00:00'),
      'skip',
    );
    expect(due.run).toEqual({ scheduledAt: at('2025-01-02T00:00:00'), trigger: 'schedule' });
    expect(due.missed).toHaveLength(MISSED_RECORDED - 1);
    expect(due.missed.at(-1)).toBe(at('2025-01-01T23:59:00'));
    expect(due.missed.length + due.missedMore).toBe(24 * 60 - 1);
  });
});

describe('a due time that passed while no host ran', () => {
  const scheduledAt = at('2026-01-01T14:00:00');
  const from = at('2026-01-01T13:00:00');
  it.each([
    ['a second late', 1000],
    ['a minute late', 60_000],
  ])('catches up when it is %s', (_, late) => {
    const due = decideDue(daily, from, scheduledAt + late, 'run_once', scheduledAt + late);
    expect(due.run).toEqual({ scheduledAt, trigger: 'catch_up' });
  });

  it('is none where the host ran and noticed it late', () => {
    expect(decideDue(daily, from, scheduledAt + 30_000, 'run_once', scheduledAt - 1).run).toEqual({
      scheduledAt,
      trigger: 'schedule',
    });
  });
});
