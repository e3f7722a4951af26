import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { countingBot, countLines } from '../support/counting-bot.ts';
import { followOn } from '../support/follow.ts';
import { watchMemory } from '../support/memory.ts';
import { type TestHost, testHost } from '../support/platform.ts';
import { prove, rounds } from '../support/proof.ts';
import { deployTiny, lineUntil, logsOf } from '../support/tiny-bot.ts';
import { until } from '../support/until.ts';

const VIEWERS = rounds(3, 50);
/** The host buffers 4 MiB for a viewer; the memory of all of them must stay bounded beyond that. */
const MOST_MB = 128 + VIEWERS * 6;

/** A viewer that asks for the live lines of a bot and then reads nothing. */
async function stalled(host: TestHost, botId: string): Promise<Socket> {
  const { hostname, port, host: name } = new URL(host.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.pause();
  socket.write(
    `GET /api/v1/bots/${botId}/stream HTTP/1.1\r\nHost: ${name}\r\nAuthorization: Bearer ${host.token}\r\n\r\n`,
  );
  return socket;
}

/** Lets a viewer read the rest; returns the last id before it was cut off. */
async function endOf(socket: Socket): Promise<number> {
  let last = 0;
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    for (const [, id] of text.matchAll(/^id: (\d+)$/gm)) last = Number(id);
    text = text.slice(text.lastIndexOf('\n') + 1);
  });
  // The host lets go of a connection 10 s after it has cut it off, read or not.
  socket.on('error', () => socket.destroy());
  socket.resume();
  await until('the end of a viewer', () => socket.closed || socket.readableEnded);
  return last;
}

/** Between which seqs after the first something is not there, or is there twice. */
function breaks(seqs: readonly number[], after: number): [number, number][] {
  return seqs.flatMap((seq, index): [number, number][] => {
    const before = seqs[index - 1] ?? after;
    return seq === before + 1 ? [] : [[before, seq]];
  });
}

it(`${VIEWERS} viewers that stop reading are cut off and can go on from there; another one misses nothing`, async ({
  onTestFinished,
}) => {
  const host = await testHost(onTestFinished, undefined, null, { PLATFORM_RETENTION_MB: '100000' });
  const { bot_id: id } = await deployTiny(host, countingBot(20));
  const first = await lineUntil(host, id, 'line ');
  const grown = process.platform === 'linux' ? watchMemory(host.pid) : () => 0;
  const seen: number[] = [];
  const end = await followOn(host, id, first.seq, (lines) => {
    for (const { seq } of lines) seen.push(seq);
  });
  const sockets = await Promise.all(Array.from({ length: VIEWERS }, () => stalled(host, id)));
  for (const socket of sockets) onTestFinished(() => void socket.destroy());
  // More than connections and host buffer for a reader that has stopped.
  const meanwhile = await until('many lines', () => (seen.length > 150_000 ? seen.length : null));
  const memory = grown();
  const ends = await Promise.all(sockets.map(endOf));
  const counted = await countLines(host, id);
  const last = (await logsOf(host, id)).at(-1)?.seq;
  await until('the last line', () => seen.at(-1) === last);
  await end();
  const from = Math.min(...ends);
  const again: number[] = [];
  const endAgain = await followOn(host, id, from, (lines) => {
    for (const { seq } of lines) again.push(seq);
  });
  await until('the last line again', () => again.at(-1) === last);
  await endAgain();
  const missed = [...breaks(seen, first.seq), ...breaks(again, from)];
  expect(counted).toMatchObject({ lost: 0, doubled: 0 });
  expect(missed, `of ${seen.length} from ${first.seq}, then ${again.length} from ${from}, up to ${last}`).toEqual([]);
  // They were cut off long before the end, else nothing was shown.
  expect(Math.max(...ends)).toBeLessThan(first.seq + meanwhile);
  expect(memory).toBeLessThan(MOST_MB);
  await prove('R15', 'Viewers that stop reading, beside one that reads', {
    viewers: VIEWERS,
    'cut off': ends.length,
    'lines meanwhile': meanwhile,
    'missed by those who read': missed.length,
    'memory more (MB)': memory,
  });
});
