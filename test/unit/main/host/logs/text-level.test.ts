import { describe, expect, it } from 'vitest';
import { DEBUG, ERROR, INFO, WARN, wordLevel } from '../../../../../src/main/host/logs/classify-json-line.ts';
import { textLevel } from '../../../../../src/main/host/logs/text-level.ts';

const shown = (line: string) => JSON.stringify(line);

describe('an error by its form', () => {
  it.each(
    [
      '2026-11-24 10:00:00,123 ERROR root: x',
      '2026-11-24 10:00:00,123 - bot - ERROR - x',
      '2026-11-24 10:00:00,123 - 4711 - freqtrade.worker - ERROR - x',
      '2026-11-24 10:00:00,123 bot          ERROR    x',
      '2026-11-24 10:00:00,123 ERROR    [bot.py:12] x',
      '[2026-11-24 10:00:00,123] ERROR in app: x',
      '[2026-11-24 10:00:00,123] [ERROR] x',
      '[2026-11-24 10:00:00,123: ERROR/MainProcess] x',
      '2026-11-24 10:00:00.123 | ERROR    | __main__:<module>:1 - x',
      'ERROR:root:x',
      'CRITICAL:root:x',
      '[error] x',
      'error: x',
      'Error: cannot connect',
      'fatal: cannot connect',
      'level=error msg="x y"',
      'time="2026-11-24T10:00:00Z" level=error msg="x"',
      'time=2026-11-24T10:00:00.000Z level=ERROR msg=x',
      'ts=1700000000.1 caller=main.go:12 level=error msg="x"',
      '2026-11-24 10:00:00,123 [main] ERROR com.x.Bot - x',
      '10:00:00.123 [main] ERROR com.x.Bot -- x',
      '10:00:00.123 [http-nio-8080-exec-1] ERROR c.x.Bot - x',
      '123 [main] ERROR com.x.Bot  - x',
      '2026-11-24T10:00:00.123Z ERROR 12345 --- [main] c.x.Y : x',
      '2026-11-24T10:00:00.123+01:00 ERROR 12345 --- [main] c.x.Y : x',
      '[2026-11-24T10:00:00Z ERROR mycrate] x',
      '2026-11-24T10:00:00.000000Z ERROR mycrate: x',
      '2026/11/24 10:00:00 ERROR x',
      '2026-11-24T10:00:00.000Z\tERROR\tcmd/main.go:1\tx',
      '10:00AM ERR x',
      '[10:00:00 ERR] x',
      '[10:00:00.123] ERROR (123): x',
      '[2026-11-24 10:00:00.123] [error] x',
      '[2026-11-24 10:00:00.123] [bot] [error] x',
      '[main] ERROR com.x.Bot - x',
      '[bot] [error] x',
      'bot - ERROR - x',
      'root - ERROR - x',
      'SEVERE: x',
      'E1124 10:00:00.123456   12 file.go:12] x',
      'fail: Bot.Program[0]',
      'panic: runtime error: index out of range [5] with length 3',
      'fatal error: all goroutines are asleep - deadlock!',
      "thread 'main' panicked at src/main.rs:4:5:",
      "thread 'main' (1234) panicked at src/main.rs:4:5:",
      "terminate called after throwing an instance of 'std::runtime_error'",
      'Exception in thread "main" java.lang.RuntimeException: x',
      'Unhandled exception. System.Exception: x',
      '\x1b[31merror\x1b[39m: x',
      '\x1b[90m10:00AM\x1b[0m \x1b[31mERR\x1b[0m x',
      '\x1b[2m2026-11-24T10:00:00.0Z\x1b[0m \x1b[31mERROR\x1b[0m x',
      '[10:00:00.123] \x1b[31mERROR\x1b[39m (123): x',
      '2026-11-24 10:00:00.123 UTC [123] ERROR:  x',
      '2026/11/24 10:00:00 [error] 12#0: x',
      '1700000000.123 ERROR x',
      '1700000000123 ERROR x',
      '  ERROR x',
      'ERROR request failed',
      '[ERROR] request failed',
      '[ERROR   ] x',
      '2026-11-24 10:00:00 [ERROR   ] x',
    ].map((line) => [shown(line), line]),
  )('%s', (_, line) => {
    expect(textLevel(line)).toBe(ERROR);
  });
});

describe('a warning by its form', () => {
  it.each(
    [
      '2026-11-24 10:00:00,123 - bot - WARNING - x',
      'warning: x',
      '[warn] x',
      'level=warn msg=x',
      '2026-11-24T10:00:00Z WARN x',
      'W1124 10:00:00.123456   12 file.go:12] x',
      'warn: Bot.Program[0]',
      'order refused: HTTP 429',
      '"GET /x HTTP/1.1" 503 12',
      'requests.exceptions.HTTPError: 429 Client Error: Too Many Requests for url: https://x',
      'HTTP status code: 502',
      'got 429 Too Many Requests from x',
    ].map((line) => [shown(line), line]),
  )('%s', (_, line) => {
    expect(textLevel(line)).toBe(WARN);
  });
});

describe('a level word of a logger', () => {
  const words =
    'ERROR CRITICAL FATAL SEVERE WARN WARNING NOTICE INFO DEBUG TRACE ERR WRN INF DBG FTL CRIT TRC ' +
    '[error] [critical] [crit] [fatal] [severe] [warn] [warning] [notice] [info] [debug] [trace]';
  it.each(words.split(' '))('%s names the level that it names in JSON', (word) => {
    expect(textLevel(`2026-11-24 10:00:00 ${word} x`)).toBe(wordLevel(word.replaceAll(/[[\]]/g, '')));
  });
});

describe('for debugging by its form', () => {
  it.each(
    ['2026-11-24 10:00:00,123 - bot - DEBUG - x', 'debug: x', 'DEBUG x', '[debug] x'].map((line) => [
      shown(line),
      line,
    ]),
  )('%s', (_, line) => {
    expect(textLevel(line)).toBe(DEBUG);
  });
});

describe('information by its form', () => {
  it.each(
    [
      '2026-11-24 10:00:00,123 - bot - INFO - no ERROR so far',
      '2026-11-24 10:00:00 INFO HTTP 429 was handled',
      '2026-11-24 10:00:00,123 [main] INFO  c.x.Bot - ERROR count 0',
      'round 5 of AAPL took 35 ms',
      'error in small letters',
      'errors: 0',
      'error rate: 0.1 %',
      'error: 0.0213',
      'error: 0.02%, loss: 3',
      'error: none',
      'Error: 0',
      'error_count=3',
      'error=0.1 level of noise',
      'tracking error: 0.1',
      'the level=error option was set',
      'ERRORS are counted',
      'ERROR_CODE=3',
      '2025-01-01 the ERROR is not leading',
      'the WARN is not leading',
      '2026-11-24 bought 5 AAPL after an ERROR of the feed',
      '2026-11-24 10:00:00 got ERROR from the exchange',
      'Error bars are drawn',
      'Warning signs in AAPL',
      'warning signs in AAPL',
      'fatal mistake of others',
      'panic selling in AAPL',
      'panic: no',
      "thread 'main' started",
      'terminate called orders',
      'terminated called',
      'AAPL - error 0.4',
      'AAPL - error: 0.4',
      'AAPL | 1.5 | 3',
      '12 shares - ERROR margin 3',
      '5 [errors] x',
      '[AAPL] error margin 0.1',
      '[AAPL] no ERROR',
      '[info] error: x',
      'level 429 of HTTP is fine',
      'price 429 and 503',
      'HTTP 4290',
      'HTTP 200 for order 503',
      'Exceptionally good',
      '2026-11-24',
      '10:00',
      '[',
      '\x1b[',
      '-',
      'level=5 of the book',
      'fail: safe',
      'Info',
      '10 ERRORS',
      '1. ERROR handling is on',
    ].map((line) => [shown(line), line]),
  )('%s', (_, line) => {
    expect(textLevel(line)).toBe(INFO);
  });
});

it('the level is found at a bounded cost, whatever a line holds', () => {
  const hostile = [
    `2026-11-24 10:00:00 ${'[a] - '.repeat(10_000)}`,
    `${'a'.repeat(60_000)}: x`,
    `a=${'"'.repeat(30_000)}${'a="b" '.repeat(5000)}`,
    `${'a=b '.repeat(16_000)}`,
    `${' '.repeat(60_000)}ERROR`,
    `error: ${'1'.repeat(60_000)}`,
    `HTTP${' status'.repeat(9000)}`,
    `${'HTTP status '.repeat(5000)}`,
    `\x1b[31m${'\x1b[31m'.repeat(9000)}`,
    `thread '${'a'.repeat(60_000)}`,
  ];
  const begun = performance.now();
  for (let round = 0; round < 20; round++) for (const line of hostile) textLevel(line);
  expect((performance.now() - begun) / 20 / hostile.length).toBeLessThan(20);
});

describe('the level of a line', () => {
  it('is the same whatever line came before it', () => {
    const heads = [
      '2026-11-24 10:00:00 ',
      '2026-11-24T10:00:00.123Z ',
      '[2026-11-24 10:00:00] ',
      '10:00:00 [1] ',
      '10:00:00 [main] ',
      '1700000000 ',
      '123 [main] ',
      'bot - ',
      '',
    ];
    const levels = [
      'ERROR',
      'ERRORS',
      'ERROR1',
      'ERROR ',
      'ERROR: ',
      '[ERROR] ',
      'WARN  ',
      'INFO ',
      'debug: ',
      'Error ',
    ];
    const lines = heads.flatMap((head) =>
      levels.flatMap((level) => ['', 'x', '\x1b[31mx', 'HTTP 503'].map((rest) => `${head}${level}${rest}`)),
    );
    for (const line of lines) {
      const found = lines.map((before) => {
        textLevel(before);
        return textLevel(line);
      });
      expect(new Set(found).size, shown(line)).toBe(1);
    }
  });
});
