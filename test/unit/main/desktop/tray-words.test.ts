import { describe, expect, it } from 'vitest';
import type { BotStatus, HealthState } from '../../../../src/contract/bot.ts';
import type { KnownBot } from '../../../../src/main/desktop/bot-watch.ts';
import { trayWords } from '../../../../src/main/desktop/tray-words.ts';

const bot = (status: BotStatus, name: string = status, state: HealthState = 'ok', failures = 0): KnownBot => ({
  bot_id: `bot_${name}`,
  name,
  status,
  health: { state, failures },
});

describe('trayWords', () => {
  it('counts the bots that need somebody as the fleet does, and shows no count of a host that is not there', () => {
    const bots = [
      bot('running'),
      bot('failed'),
      bot('running', 'between crashes', 'crash_looping'),
      bot('running', 'every two minutes', 'recovering', 5),
      bot('backing_off', 'first failure', 'recovering', 1),
      bot('scheduled'),
      bot('scheduled', 'report', 'failing'),
    ];
    const words = trayWords(bots, true);
    expect(words.summary).toBe('3 running, 4 need you');
    expect(words.failing.map(({ name }) => name)).toEqual(['failed', 'between crashes', 'every two minutes', 'report']);
    expect(words.stoppable).toBe(6);
    expect(trayWords([bot('failed')], true).summary).toBe('0 running, 1 needs you');
    expect(trayWords(bots, false)).toMatchObject({ summary: 'No host is running', failing: [], stoppable: 0 });
  });
});
