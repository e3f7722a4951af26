import { describe, expect, it } from 'vitest';
import { commandName } from '../../../src/cli/copyable-command.ts';
import { botLines, nowText, resultText, statusText } from '../../../src/cli/show-bot.ts';
import type { BotArming } from '../../../src/contract/arming.ts';
import { sampleBot } from './sample-bot.ts';

const NOW = Date.parse('2026-01-05T14:00:00.000Z');
const FAILED = {
  run_id: 'run_1',
  trigger: 'schedule',
  status: 'failed',
  mode: 'unverified',
  started_at: '2026-01-05T13:00:00.000Z',
  ended_at: '2026-01-05T13:00:01.000Z',
  exit_code: 1,
  signal: null,
  result: { status: 'error', message: 'bad symbol' },
} as const;

it('statusText says the words of the dashboard', () => {
  const text = (changes: Parameters<typeof sampleBot>[0]) => statusText(sampleBot(changes), false);
  expect(text({ status: 'backing_off' })).toBe('▲ waiting to restart');
  expect(text({ status: 'running' })).toBe('● running');
  const crashes = { state: 'crash_looping', failures: 14, reason: null } as const;
  expect(text({ status: 'running', health: crashes })).toBe('✖ crash-looping · 14×');
  expect(text({ status: 'running', health: { ...crashes, state: 'recovering' } })).toBe('▲ recovering · 14×');
  expect(text({ status: 'running', health: { ...crashes, state: 'recovering', failures: 1 } })).toBe('▲ recovering');
  expect(text({ status: 'scheduled', health: { ...crashes, state: 'failing', failures: 1 } })).toBe('✖ failing');
});

describe('nowText', () => {
  it('says due now for a time that has come', () => {
    expect(nowText(sampleBot({ next_run_at: '2026-01-05T14:00:00.000Z' }), NOW)).toBe('due now');
    expect(nowText(sampleBot({ next_run_at: '2026-01-05T14:05:00.000Z' }), NOW)).toBe('next in 5 min');
  });

  it('says that the last run failed', () => {
    const bot = sampleBot({ next_run_at: '2026-01-05T14:05:00.000Z', last_run: FAILED });
    expect(nowText(bot, NOW)).toBe('next in 5 min, last run failed');
    expect(nowText({ ...bot, last_run: { ...FAILED, status: 'succeeded' } }, NOW)).toBe('next in 5 min');
  });

  it('says trying again now, not just now', () => {
    const bot = sampleBot({ status: 'backing_off', schedule: null, next_attempt_at: '2026-01-05T14:00:00.500Z' });
    expect(nowText(bot, NOW)).toBe('trying again now');
  });
});

describe('botLines', () => {
  it('shows what the last run said, once', () => {
    const bot = sampleBot({ last_run: FAILED });
    expect(botLines(bot, NOW, false)).toContain('  result      bad symbol');
    expect(botLines(bot, NOW, false)).toContain('  mode        unverified');
    const reason = { code: 'BOT_ERROR', message: 'bad symbol', hint: null, at: '2026-01-05T13:00:01.000Z' };
    const lines = botLines({ ...bot, reason }, NOW, false).filter((line) => line.includes('bad symbol'));
    expect(lines).toEqual(['  reason      BOT_ERROR: bad symbol']);
  });

  it('says once that a bot was stopped on request, and how it is started', () => {
    const reason = {
      code: 'DISABLED',
      message: 'Stopped on request',
      hint: 'Start it.',
      at: '2026-01-05T13:00:01.000Z',
    };
    const bot = sampleBot({ enabled: false, status: 'stopped', schedule: null, reason });
    expect(botLines(bot, NOW, false, commandName({})).slice(3, 5)).toEqual([
      '  status      ○ stopped (disabled)',
      '  what to do  Start it again with `platform bot start portfolio`.',
    ]);
  });

  it('writes the command of a hint as it is typed, about this bot', () => {
    const reason = { code: 'X', message: 'M', hint: 'Use `platform bot start`.', at: '2026-01-05T13:00:01.000Z' };
    const name = commandName({ npm_lifecycle_event: 'npx' });
    expect(botLines(sampleBot({ reason }), NOW, false, name)).toContain(
      '  what to do  Use `npx platform bot start portfolio`.',
    );
  });
});

it('resultText reads success, error, any other result, and none', () => {
  expect(resultText({ status: 'success', message: 'tick 1' })).toBe('tick 1');
  expect(resultText({ total: 3 })).toBe('{"total":3}');
  expect(resultText('text\u001b')).toBe('text␛');
  expect(resultText(null)).toBe('');
});

it('tells of an isolation exception, and of nothing where there is none', () => {
  const message = 'It runs on engine process. Set options.engine to "docker" to end this.';
  const exception = { level: 'none', least: 'container', since: '2026-01-01T00:00:00.000Z', message } as const;
  const shown = botLines(sampleBot({ isolation_exception: exception }), NOW, false).join('\n');
  expect(shown).toContain(`isolation   exception: ${message}`);
  expect(botLines(sampleBot(), NOW, false).join('\n')).not.toContain('isolation');
  expect(botLines(sampleBot({ isolation: 'sandbox' }), NOW, false).join('\n')).toContain('isolation   sandbox');
  expect(botLines(sampleBot({ isolation: 'partial' }), NOW, false).join('\n')).toContain('see `platform doctor`');
});

it('the end of an arming stands there by the clock of this machine, with how far it is', () => {
  const until = '2026-01-06T16:00:00.000Z';
  const arming: BotArming = {
    ...{ state: 'armed', version: '1.0.0', armed_at: '2026-01-05T13:00:00.000Z', armed_by: 'ada', until },
    ...{ stop_at_expiry: false, for_review: false, message: `it is armed until ${until}` },
  };
  const [line = ''] = botLines(sampleBot({ arming }), NOW, false).filter((one) => one.startsWith('  live '));
  expect(line).toMatch(/it is armed until \d{4}-\d\d-\d\d \d\d:00:00 \(in 1 d\), by ada$/);
});
