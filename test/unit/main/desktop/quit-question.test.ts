import { describe, expect, it } from 'vitest';
import type { BotStatus } from '../../../../src/contract/bot.ts';
import type { KnownBot } from '../../../../src/main/desktop/bot-watch.ts';
import { quitQuestion } from '../../../../src/main/desktop/quit-question.ts';

const bot = (
  status: BotStatus,
  name: string = status,
  health: KnownBot['health'] = { state: 'ok', failures: 0 },
): KnownBot => ({
  bot_id: `bot_${name}`,
  name,
  status,
  health,
});

describe('quitQuestion', () => {
  it('asks nothing where nothing changes', () => {
    expect(quitQuestion([])).toBeNull();
    expect(quitQuestion([bot('stopped'), bot('failed')])).toBeNull();
  });

  it('counts what runs and what would not run any more', () => {
    expect(quitQuestion([bot('running')])?.message).toBe('Quit Bot Platform? 1 bot runs.');
    expect(quitQuestion([bot('scheduled')])?.message).toBe('Quit Bot Platform? 1 bot is scheduled.');
    const all = [
      bot('running'),
      bot('starting'),
      bot('backing_off'),
      bot('stopping'),
      bot('scheduled'),
      bot('stopped'),
    ];
    expect(quitQuestion([...all, bot('scheduled', 'other')])?.message).toBe(
      'Quit Bot Platform? 4 bots run, 2 bots are scheduled.',
    );
  });

  it('asks while nobody knows which bots run: what runs unseen would be stopped', () => {
    expect(quitQuestion(null)?.message).toBe('Quit Bot Platform? The host has not yet said which bots run.');
  });
});
