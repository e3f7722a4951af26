import { describe, expect, it } from 'vitest';
import { botStreams } from '../../../../../src/main/host/api/streams.ts';

type Services = Parameters<typeof botStreams>[0];
type Caller = Parameters<ReturnType<typeof botStreams>['bots.stream']>[1];

const EVENT = { event_id: 7, bot_id: 'bot_1' };

/** What a reader is told that comes back with this id to a host whose newest is 7, and which a restore had begin after `begun`. */
function toldAfter(after: number, begun = 0): unknown[] {
  const told: unknown[] = [];
  const store = { newest: () => 7, begun: () => begun, after: (_: string, id: number) => (id < 7 ? [EVENT] : []) };
  const services = { events: store, bus: { subscribe: () => () => told.push('left') } } as unknown as Services;
  const sink = {
    start: (id: string) => told.push(['start', id]),
    push: (id: string, event: unknown) => told.push([id, event]) > 0,
    gap: (id: string, reason: string) => told.push(['gap', id, reason]),
    end: () => told.push('end'),
  };
  botStreams(services)['bots.stream']({ after }, { userId: 'user_1', botIds: null } as Caller, sink);
  return told;
}

describe('a reader of events that comes back', () => {
  it('is sent what came after its id', () => {
    expect(toldAfter(6)).toEqual([
      ['start', '6'],
      ['7', EVENT],
    ]);
    expect(toldAfter(7)).toEqual([['start', '7']]);
  });

  it('with an id of before a restore is told to look anew, and is sent what came since', () => {
    expect(toldAfter(5, 6)).toEqual([
      ['start', '6'],
      ['gap', '6', expect.stringContaining('restored')],
    ]);
    expect(toldAfter(6, 6)).toEqual([
      ['start', '6'],
      ['7', EVENT],
    ]);
  });

  it('with an id that was never given out is told to look anew, and from where to read on', () => {
    expect(toldAfter(8)).toEqual([
      ['start', '7'],
      ['gap', '7', expect.stringContaining('restored')],
    ]);
  });
});
