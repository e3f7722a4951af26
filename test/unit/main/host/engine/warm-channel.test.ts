import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createWarmChannel } from '../../../../../src/main/host/engine/warm-channel.ts';
import { until } from '../../../../support/until.ts';

function open() {
  const input = new PassThrough();
  const reports = new PassThrough();
  const exit = Promise.withResolvers<void>();
  const warm = createWarmChannel({ input, reports, exited: exit.promise });
  return { input, reports, exit: exit.resolve, fail: exit.reject, warm };
}

/** A channel whose program waits. */
async function waiting() {
  const channel = open();
  channel.reports.write('ready\n');
  expect(await channel.warm.ready).toBe(true);
  return channel;
}

describe('a warm channel', () => {
  it('tells that the program waits, hands it the question, and tells that the answer is there', async () => {
    const { warm, input, reports } = await waiting();
    expect(warm.isWaiting).toBe(true);
    const done = warm.ask('{"path":"/x","params":{}}');
    expect(warm.isWaiting).toBe(false);
    expect(input.read().toString()).toBe('{"path":"/x","params":{}}\n');
    reports.write('done\n');
    expect(await done).toBe(true);
    expect([input.destroyed, reports.destroyed]).toEqual([true, true]);
  });

  it('takes words that come in pieces', async () => {
    const { warm, reports } = open();
    for (const piece of ['re', 'ad', 'y', '\n']) reports.write(piece);
    expect(await warm.ready).toBe(true);
    const done = warm.ask('{}');
    for (const piece of ['d', 'one\n']) reports.write(piece);
    expect(await done).toBe(true);
  });

  it.each([
    ['another word', 'reade'],
    ['a word and more', 'ready\nx'],
    ['both words at once', 'ready\ndone\n'],
    ['a flood', 'ready'.repeat(200_000)],
    ['an empty line', '\n'],
  ])('is broken by %s', async (_, said) => {
    const { warm, reports, input } = open();
    reports.write(said);
    expect(await warm.ready).toBe(false);
    expect(await warm.ask('{}')).toBe(false);
    expect([warm.isWaiting, reports.destroyed, input.destroyed]).toEqual([false, true, true]);
  });

  it('is broken by whatever is said before the question', async () => {
    const { warm, reports } = await waiting();
    reports.write('d');
    await until('the break', () => !warm.isWaiting);
    expect(await warm.ask('{}')).toBe(false);
  });

  it.each([
    ['its end', (channel: ReturnType<typeof open>) => channel.exit()],
    ['an unknown end', (channel: ReturnType<typeof open>) => channel.fail(new Error('lost'))],
    ['the end of its reports', (channel: ReturnType<typeof open>) => void channel.reports.end()],
    ['broken reports', (channel: ReturnType<typeof open>) => void channel.reports.destroy(new Error('reset'))],
    ['a closed input', (channel: ReturnType<typeof open>) => void channel.input.destroy(new Error('EPIPE'))],
  ])('tells of %s before it waits, while it waits and after it was asked', async (_, end) => {
    const early = open();
    end(early);
    expect(await early.warm.ready).toBe(false);

    const between = await waiting();
    end(between);
    await until('the break', () => !between.warm.isWaiting);
    expect(await between.warm.ask('{}')).toBe(false);

    const late = await waiting();
    const done = late.warm.ask('{}');
    end(late);
    expect(await done).toBe(false);
  });

  it('asks once', async () => {
    const { warm, reports } = await waiting();
    const first = warm.ask('{}');
    expect(await warm.ask('{}')).toBe(false);
    reports.write('done\n');
    expect(await first).toBe(true);
  });
});
