import { describe, expect, it } from 'vitest';
import type { BotStatus } from '../../../../src/contract/bot.ts';
import type { KnownBot } from '../../../../src/main/desktop/bot-watch.ts';
import { updateObstacle } from '../../../../src/main/desktop/update-obstacle.ts';

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

describe('updateObstacle', () => {
  const host = { url: 'http://127.0.0.1:1', token: 'local_x', pid: 2 };
  const own = { host, isOwn: true };

  it('is whatever would let files be exchanged under a bot that runs, or leaves that unknown', () => {
    expect(updateObstacle(own, [bot('stopped'), bot('scheduled'), bot('failed')])).toBeNull();
    expect(updateObstacle(own, [bot('running'), bot('backing_off')])).toMatch(/no bot runs; 2 do/);
    expect(updateObstacle(own, null)).toMatch(/not yet said/);
    expect(updateObstacle({ host, isOwn: false }, [])).toMatch(/started elsewhere/);
    expect(updateObstacle({ host: null, isOwn: false }, [])).toMatch(/^No host is running/);
  });
});
