import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/main/host/bots/failure/classify.ts';
import type { FailedRun } from '../../../src/main/host/bots/failure/failure-types.ts';

const failed = (exitCode: number, ...said: string[]): FailedRun => ({
  ...{ botId: 'bot_1', runId: 'run_1', role: 'bot', codeDir: '/code', status: 'failed', exitCode, signal: null },
  ...{ reason: null, durationMs: 5000, memoryMb: null },
  lines: said.map((message, seq) => ({
    ...{ seq, ts: new Date(seq).toISOString(), level: 'error', source: 'stderr', message, fields: null },
  })),
});

describe('the error of an interpreter that a package names', () => {
  it.each([
    [
      'bash, syntax',
      2,
      ["./bot.sh: line 7: syntax error near unexpected token `fi'", "./bot.sh: line 7: `fi'"],
      'bot.sh:7',
      'syntax error near unexpected token',
    ],
    ['bash, unset', 1, ['./lib/bot.sh: line 3: symbol: unbound variable'], 'lib/bot.sh:3', 'symbol: unbound variable'],
    ['mawk', 2, ['mawk: ./bot.awk: line 2: syntax error at or near }'], 'bot.awk:2', 'syntax error at or near }'],
    [
      'gawk, syntax',
      1,
      ['gawk: ./bot.awk:3: BEGIN { x = }', 'gawk: ./bot.awk:3:             ^ syntax error'],
      'bot.awk:3',
      'syntax error',
    ],
    [
      'gawk, while it runs',
      2,
      ['gawk: ./bot.awk:3: fatal: division by zero attempted'],
      'bot.awk:3',
      'fatal: division by zero attempted',
    ],
    [
      'ruby',
      1,
      ["./bot.rb:5:in 'Integer#/': divided by 0 (ZeroDivisionError)", "\tfrom ./bot.rb:5:in '<main>'"],
      'bot.rb:5',
      'divided by 0 (ZeroDivisionError)',
    ],
    ['perl', 255, ['Illegal division by zero at ./bot.pl line 4.'], 'bot.pl:4', 'Illegal division by zero'],
    [
      'lua',
      1,
      ['lua: ./bot.lua:2: attempt to call a nil value', 'stack traceback:'],
      'bot.lua:2',
      'attempt to call a nil value',
    ],
  ])('%s is shown with its place', (_, code, said, place, message) => {
    const verdict = classify(failed(code, 'starts', ...said));
    expect(verdict).toMatchObject({ code: 'SCRIPT_ERROR', step: 'run', message: expect.stringContaining(message) });
    expect(verdict?.message).toContain(` in ${place}: `);
    const [file = '', line] = place.split(':');
    expect(verdict?.next.fix).toEqual({ kind: 'code', file, line: Number(line) });
    expect(verdict?.evidence.length).toBeGreaterThan(0);
  });

  it('that a program is not there says so, and no word of a package that lacks it', () => {
    expect(classify(failed(127, './bot.sh: line 9: jq: command not found'))).toMatchObject({
      code: 'SCRIPT_ERROR',
      message: 'bot.sh:9 calls jq, which is not where the bot runs.',
      next: { action: expect.stringContaining('Install that program') },
    });
  });

  it.each([
    ['a warning', './bot.sh: line 3: warning: here-document delimited by end-of-file'],
    ['words about a file that the host has not given', '/tmp/x.sh: line 3: foo: command not found.'],
    ['an address', 'http://exchange.example:8080: refused'],
    ['a time', '10:30:15 price 5'],
  ])('is not seen in %s', (_, said) => {
    expect(classify(failed(3, said))?.code).toBe('EXIT_CODE');
  });

  it('does not take long in hostile output', () => {
    const begun = performance.now();
    for (const line of [`./${'a'.repeat(1000)}`, `${'a at ./'.repeat(300)}`, `x: ./b: line ${'1'.repeat(500)}`])
      classify(failed(1, ...Array.from({ length: 200 }, () => line)));
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});
