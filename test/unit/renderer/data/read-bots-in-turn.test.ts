import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../../src/contract/errors.ts';
import { HostError } from '../../../../src/renderer/data/host-error.ts';
import { BotReadRounds } from '../../../../src/renderer/data/read-bots-in-turn.ts';
import type { Link } from '../../../../src/renderer/data/socket.ts';

function reading() {
  const socket: { link: Link } = { link: 'open' };
  const read: string[] = [];
  let answer = (): void => undefined;
  let fail = (_: ErrorCode): void => undefined;
  const rounds = new BotReadRounds(socket, (id) => {
    read.push(id);
    return new Promise((resolve, reject) => {
      answer = resolve;
      fail = (code) => reject(new HostError({ code, message: code, hint: null, details: null, request_id: null }));
    });
  });
  const settle = async (how: () => void): Promise<void> => {
    how();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return {
    socket,
    read,
    rounds,
    answered: () => settle(() => answer()),
    failed: (code: ErrorCode) => settle(() => fail(code)),
  };
}

describe('rounds', () => {
  it('read one after the other, and are not begun twice', async () => {
    const { rounds, read, answered } = reading();
    const round = rounds.run(['a', 'b']);
    await rounds.run(['a', 'b']);
    expect(read).toEqual(['a']);
    await answered();
    expect(read).toEqual(['a', 'b']);
    await answered();
    await round;
    void rounds.run(['a']);
    expect(read).toEqual(['a', 'b', 'a']);
  });

  it('pass over a bot that is gone, and end when the host is asked too much', async () => {
    const { rounds, read, failed } = reading();
    const round = rounds.run(['a', 'b', 'c']);
    await failed('BOT_NOT_FOUND');
    await failed('RATE_LIMITED');
    await round;
    expect(read).toEqual(['a', 'b']);
  });

  it('do not begin without a connection', async () => {
    const { rounds, read, socket } = reading();
    socket.link = 'lost';
    await rounds.run(['a']);
    expect(read).toEqual([]);
  });

  it('end with whoever wanted them', async () => {
    const { rounds, read, answered } = reading();
    const round = rounds.run(['a', 'b']);
    rounds.stop();
    await answered();
    await round;
    await rounds.run(['c']);
    expect(read).toEqual(['a']);
  });
});
