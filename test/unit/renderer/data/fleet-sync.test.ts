import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Bot } from '../../../../src/contract/bot.ts';
import type { ErrorCode } from '../../../../src/contract/errors.ts';
import { FleetSync } from '../../../../src/renderer/data/fleet-sync.ts';
import { HostError } from '../../../../src/renderer/data/host-error.ts';
import type { HostSocket, Link } from '../../../../src/renderer/data/socket.ts';

interface Call {
  readonly what: string;
  readonly answer: (result: unknown) => Promise<void>;
  readonly fail: (code: ErrorCode | 'CONNECTION_LOST') => Promise<void>;
}

const flush = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};
const bot = (botId: string): Bot => ({ bot_id: botId }) as Bot;

function follow(link: Link = 'open') {
  const asked: string[] = [];
  const calls: Call[] = [];
  const said: string[] = [];
  let event: (event: { bot_id: string; kind: string }) => void = () => undefined;
  let onLink: (link: Link) => void = () => undefined;
  const socket = {
    link,
    onLink: (listener: typeof onLink) => {
      onLink = listener;
      return () => undefined;
    },
    stream: (name: string, _: object, handlers: { event: typeof event }) => {
      asked.push(name);
      event = handlers.event;
      return { cancel: () => said.push('cancelled') };
    },
    read: (name: string, input: { bot_id?: string }) => {
      const what = input.bot_id ?? name;
      asked.push(what);
      return new Promise((resolve, reject) => {
        calls.push({
          what,
          answer: (result) => {
            resolve(result);
            return flush();
          },
          fail: (code) => {
            reject(new HostError({ code, message: code, hint: null, details: null, request_id: null }));
            return flush();
          },
        });
      });
    },
  };
  const sync = new FleetSync(socket as unknown as HostSocket, {
    all: (bots) => said.push(`all ${bots.map(({ bot_id }) => bot_id).join(',')}`),
    one: (botId, known) => said.push(known === null ? `${botId} gone` : botId),
    failed: ({ code }) => said.push(code),
  });
  const stop = sync.start();
  return {
    asked,
    said,
    stop,
    change: (botId: string, kind = 'started') => event({ bot_id: botId, kind }),
    setLink: (next: Link) => {
      socket.link = next;
      onLink(next);
    },
    /** The oldest call that has no answer. */
    next: () => {
      const call = calls.shift();
      if (call === undefined) throw new Error('nothing is asked');
      return call;
    },
    asking: () => calls.map(({ what }) => what),
  };
}

async function listed() {
  const fleet = follow();
  await fleet.next().answer({ items: [] });
  fleet.said.length = 0;
  fleet.asked.length = 0;
  return fleet;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the bots of a page', () => {
  it('follows first, then lists once the connection is open, once', async () => {
    const fleet = follow('connecting');
    expect(fleet.asked).toEqual(['bots.stream']);
    fleet.setLink('open');
    await fleet.next().answer({ items: [bot('a')] });
    expect([fleet.asked, fleet.said]).toEqual([['bots.stream', 'bots.list'], ['all a']]);
  });

  it('reads at most three at once, and a bot that changes meanwhile once more', async () => {
    const fleet = await listed();
    for (const botId of ['a', 'b', 'c', 'd', 'a', 'a']) fleet.change(botId);
    expect(fleet.asking()).toEqual(['a', 'b', 'c']);
    await fleet.next().answer(bot('a'));
    expect(fleet.asking()).toEqual(['b', 'c', 'd']);
    await fleet.next().answer(bot('b'));
    expect(fleet.asking()).toEqual(['c', 'd', 'a']);
    for (let left = 3; left > 0; left -= 1) await fleet.next().answer(bot('x'));
    expect(fleet.asked).toEqual(['a', 'b', 'c', 'd', 'a']);
  });

  it('lists when more than twenty have changed, and takes no older answer after that', async () => {
    const fleet = await listed();
    for (let index = 0; index < 24; index += 1) fleet.change(`bot_${index}`);
    const early = [fleet.next(), fleet.next(), fleet.next()];
    expect(fleet.asking()).toEqual(['bots.list']);
    for (const one of early) await one.answer(bot('old'));
    fleet.change('late');
    await fleet.next().answer({ items: [bot('new')] });
    expect(fleet.said).toEqual(['all new']);
    expect(fleet.asking()).toEqual(['late']);
  });

  it.each(['RATE_LIMITED', 'CONNECTION_LOST'] as const)('asks again a second after %s', async (code) => {
    const fleet = await listed();
    fleet.change('a');
    await fleet.next().fail(code);
    fleet.change('b');
    expect(fleet.asking()).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(fleet.asking()).toEqual(['a', 'b']);
  });

  it('asks again later for a bot that cannot be read, while others go on', async () => {
    const fleet = await listed();
    fleet.change('a');
    await fleet.next().fail('INTERNAL');
    fleet.change('b');
    await fleet.next().answer(bot('b'));
    expect(fleet.said).toEqual(['b']);
    vi.advanceTimersByTime(10_000);
    expect(fleet.asking()).toEqual(['a']);
  });

  it('forgets bots that are gone, also when an answer still had them', async () => {
    const fleet = await listed();
    fleet.change('a');
    fleet.change('a', 'deleted');
    await fleet.next().answer(bot('a'));
    await fleet.next().fail('BOT_NOT_FOUND');
    expect(fleet.said).toEqual(['a gone', 'a', 'a gone']);
    expect(fleet.asking()).toEqual([]);
  });

  it('lists anew after the connection was lost', async () => {
    const fleet = await listed();
    fleet.change('a');
    fleet.setLink('lost');
    await fleet.next().fail('CONNECTION_LOST');
    vi.advanceTimersByTime(60_000);
    expect(fleet.asking()).toEqual([]);
    fleet.setLink('open');
    expect(fleet.asking()).toEqual(['bots.list']);
  });

  it('says why there is no list, and tries again', async () => {
    const fleet = follow();
    await fleet.next().fail('RATE_LIMITED');
    expect(fleet.said).toEqual(['RATE_LIMITED']);
    vi.advanceTimersByTime(1000);
    await fleet.next().answer({ items: [] });
    expect(fleet.said).toEqual(['RATE_LIMITED', 'all ']);
  });

  it('asks and says nothing any more once it has ended', async () => {
    const fleet = await listed();
    fleet.change('a');
    fleet.stop();
    await fleet.next().fail('RATE_LIMITED');
    fleet.change('b');
    vi.advanceTimersByTime(60_000);
    expect([fleet.said, fleet.asking()]).toEqual([['cancelled'], []]);
  });
});
