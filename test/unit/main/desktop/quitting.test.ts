import { describe, expect, it } from 'vitest';
import { Quitting } from '../../../../src/main/desktop/quitting.ts';
import { until } from '../../../support/until.ts';

const STOP = 0;
const LEAVE = 1;
const CANCEL = 2;
const BOT = { bot_id: 'bot_a', name: 'a', status: 'running', health: { state: 'ok', failures: 0 } } as const;

/** An app that ends; the test holds what the person answers and when the host has ended. */
class Stage {
  readonly closed: boolean[] = [];
  readonly ended: boolean[] = [];
  readonly host = Promise.withResolvers<boolean>();
  asked = 0;
  answer = STOP;
  stays = false;

  readonly quitting = new Quitting({
    supervisor: {
      host: { url: 'http://127.0.0.1:1', token: 'local_x', pid: 2 },
      isOwn: true,
      close: (leaveBots) => {
        this.closed.push(leaveBots);
        return this.host.promise;
      },
    },
    window: { say: () => Promise.resolve(!this.stays), destroy: () => undefined },
    ask: () => {
      this.asked += 1;
      return Promise.resolve(this.answer);
    },
    leaveBots: false,
    bots: () => [BOT],
    ending: () => undefined,
    end: (mayInstall) => this.ended.push(mayInstall),
  });
}

describe('Quitting', () => {
  it('holds up the end of the process until the host has ended, however often it is asked for', async () => {
    const stage = new Stage();
    const quit = stage.quitting.ask();
    await until('the host to be stopped', () => stage.closed.length === 1, 5000);
    await stage.quitting.ask();
    stage.quitting.now();
    expect([stage.quitting.isDecided, stage.quitting.isOver, stage.asked]).toEqual([true, false, 1]);
    stage.host.resolve(true);
    await quit;
    expect([stage.quitting.isOver, stage.closed, stage.ended]).toEqual([true, [false], [true]]);
  });

  it('lets an update be installed only where a person has stopped the bots, and they were stopped', async () => {
    const left = new Stage();
    left.answer = LEAVE;
    left.host.resolve(true);
    await left.quitting.ask();
    expect([left.closed, left.ended]).toEqual([[true], [false]]);

    // The system goes down, or Ctrl-C: an installer would be cut off amid its work.
    const system = new Stage();
    system.host.resolve(true);
    system.quitting.now();
    await until('the end', () => system.quitting.isOver, 5000);
    expect([system.closed, system.ended]).toEqual([[false], [false]]);

    // The host had to be killed: its bots may go on.
    const killed = new Stage();
    killed.host.resolve(false);
    await killed.quitting.ask();
    expect(killed.ended).toEqual([false]);
  });

  it('goes on where the person cancels, or stays with what is not saved', async () => {
    const stage = new Stage();
    stage.answer = CANCEL;
    await stage.quitting.ask();
    stage.answer = STOP;
    stage.stays = true;
    await stage.quitting.ask();
    expect(await stage.quitting.idle()).toBe(false);
    expect([stage.closed, stage.quitting.isDecided]).toEqual([[], false]);
  });
});
