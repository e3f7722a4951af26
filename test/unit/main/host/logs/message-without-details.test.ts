import { describe, expect, it } from 'vitest';
import { sayingOf } from '../../../../../src/main/host/logs/message-without-details.ts';

const keyOf = (message: string, fields: Record<string, unknown> | null = null) => sayingOf({ message, fields }).key;

const PYTHON = (value: string, line = 12) => `Traceback (most recent call last):
  File "/data/code/bot.py", line 3, in main
    step()
  File "/data/code/strategy.py", line ${line}, in step
    raise ValueError(f"bad price {value}")
ValueError: bad price ${value}`;
const NODE = (order: string, line = 7) => `Error: order ${order} was refused
    at place (file:///data/code/src/orders.mjs:${line}:11)
    at main (file:///data/code/src/bot.mjs:30:3)`;

const JVM = (
  order: string,
  line = 31,
) => `2026-11-24 10:00:00,${order} [main] ERROR com.example.Bot - round ${order} failed
java.lang.IllegalStateException: no price
\tat com.example.Bot.trade(Bot.java:14)
Caused by: java.io.IOException: order ${order} was refused
\tat com.example.Feed.read(Feed.java:${line})
\t... 2 more`;

describe('lines of one group', () => {
  it.each([
    ['order 17 failed', 'order 18 failed'],
    ['ERROR order 7f3a-bc19 of AAPL failed after 30 ms', 'ERROR order 0c1d-99aa of AAPL failed after 4012 ms'],
    ['2026-11-23T10:00:00.123Z connection lost', '2026-11-23T10:05:09.004Z connection lost'],
    ['cannot read "AAPL"', 'cannot read "MSFT"'],
    ["unknown symbol 'AAPL' in 'watch'", "unknown symbol 'MSFT' in 'all'"],
    ['\u001b[31mfailed\u001b[0m at 5', 'failed at 6'],
    [PYTHON('12.5'), PYTHON('13')],
    [`ERROR round failed\n${PYTHON('1')}`, `ERROR round failed\n${PYTHON('2')}`],
    [NODE('17'), NODE('18')],
    [JVM('117'), JVM('118')],
    ['2026-11-24 10:00:00,123 - bot - ERROR - order 1 lost', '2026-11-25 11:30:00,456 - bot - ERROR - order 2 lost'],
  ])('%j and %j', (one, other) => {
    expect(keyOf(one)).toBe(keyOf(other));
  });

  it('do not depend on numbers, switches and single words of their fields', () => {
    expect(keyOf('failed', { symbol: 'AAPL', qty: 5 })).toBe(keyOf('failed', { symbol: 'MSFT', qty: 7 }));
  });
});

describe('lines of two groups', () => {
  it.each([
    ['order 17 failed', 'order 17 was refused'],
    ['HTTP 429 from the exchange', 'HTTP 500 from the exchange'],
    ["can't read it", "don't read it"],
    [PYTHON('1', 12), PYTHON('1', 40)],
    [NODE('1', 7), NODE('1', 9)],
    [JVM('117', 31), JVM('117', 40)],
  ])('%j and %j', (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it('have other sentences in their fields', () => {
    expect(keyOf('round failed', { error: 'Connection refused' })).not.toBe(
      keyOf('round failed', { error: 'Invalid API key' }),
    );
  });
});

it('a traceback is told by its error and place on one line', () => {
  expect(sayingOf({ message: PYTHON('12.5'), fields: null }).title).toBe(
    'ValueError: bad price 12.5 (code/strategy.py:12)',
  );
  expect(sayingOf({ message: NODE('17'), fields: null }).title).toBe('Error: order 17 was refused (src/orders.mjs:7)');
  expect(sayingOf({ message: JVM('117'), fields: null }).title).toBe(
    '2026-11-24 10:00:00,117 [main] ERROR com.example.Bot - round 117 failed: java.lang.IllegalStateException: no price: ' +
      'caused by java.io.IOException: order 117 was refused (Feed.java:31)',
  );
});

it.each([
  ['letters', 'a'.repeat(64 * 1024)],
  ['quotes', `'`.repeat(64 * 1024)],
  ['dashes and digits', 'a-1'.repeat(20_000)],
  ['frames', `x\n${'    at ('.repeat(8000)}`],
  ['blanks', `x\n${' '.repeat(64 * 1024)}`],
])('a hostile line of %s takes no time', (_, message) => {
  const begun = performance.now();
  for (let i = 0; i < 20; i++) sayingOf({ message, fields: null });
  expect((performance.now() - begun) / 20).toBeLessThan(50);
});
