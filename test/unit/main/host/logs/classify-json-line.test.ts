import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../../src/contract/limits.ts';
import {
  classify,
  DEBUG,
  ERROR,
  INFO,
  levelOf,
  metricData,
  parseJsonLine,
  WARN,
} from '../../../../../src/main/host/logs/classify-json-line.ts';

const meaning = (line: string) => {
  const object = parseJsonLine(line);
  return object === null ? null : classify(object);
};

describe('which lines are JSON objects', () => {
  it.each(['{}', '  {"a":1}', '\t{"a":1} ', '{"a":{"b":[1]}}'])('%j is', (line) => {
    expect(parseJsonLine(line)).not.toBeNull();
  });
  it.each(['', '[1]', '"a"', '{"a":1', '{"a":1} tail', 'x {"a":1}', '{broken}', '  [1]', 'null'])(
    '%j is not',
    (line) => {
      expect(parseJsonLine(line)).toBeNull();
    },
  );
});

describe('a line that is nested too deeply to be turned into text again', () => {
  const nested = (levels: number): string => `{"message":"x","a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  it('is text; one that is nested less is an object', () => {
    expect(parseJsonLine(nested(LIMITS.lineDepth))).not.toBeNull();
    expect(parseJsonLine(nested(LIMITS.lineDepth + 1))).toBeNull();
    expect(parseJsonLine(nested(30_000))).toBeNull();
    // Brackets alone do not make it deep.
    expect(parseJsonLine(`{"a":[${'[],'.repeat(500)}"${'['.repeat(500)}"]}`)).not.toBeNull();
  });
});

describe('metrics', () => {
  it('takes the type from _metric and leaves a data key named type alone', () => {
    const object = parseJsonLine('{"_metric":"signal","type":"BUY","price":3,"timestamp":1700000000123}') ?? {};
    expect(classify(object)).toEqual({ kind: 'metric', type: 'signal', time: 1700000000123 });
    expect(metricData(object)).toEqual({ type: 'BUY', price: 3 });
  });
  it('is a metric also when a logger put a message around it', () => {
    expect(meaning('{"_metric":"price","message":"x","level":"error"}')).toMatchObject({
      kind: 'metric',
      type: 'price',
    });
  });
  it.each(['{"_metric":true,"value":1}', '{"_metric":1}', '{"_metric":null}'])('%s is none', (line) => {
    expect(meaning(line)).toBeNull();
  });
  it('keeps a timestamp that is no time as data', () => {
    const object = parseJsonLine('{"_metric":"x","timestamp":"yesterday"}') ?? {};
    expect(classify(object)).toMatchObject({ time: null });
    expect(metricData(object)).toEqual({ timestamp: 'yesterday' });
  });
  it('keeps odd keys as data and changes no prototype', () => {
    const object = parseJsonLine('{"_metric":"x","__proto__":{"polluted":1},"constructor":2}') ?? {};
    expect(classify(object)).toMatchObject({ kind: 'metric' });
    expect(Object.keys(metricData(object)).sort()).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('structured logs', () => {
  it.each([
    ['{"message":"hi","level":"warning"}', { level: WARN, message: 'hi', fields: null, time: null }],
    ['{"msg":"hi","level":50}', { level: ERROR, message: 'hi', fields: null, time: null }],
    ['{"severity":"ERROR","message":"hi"}', { level: ERROR, message: 'hi', fields: null }],
    ['{"levelname":"WARNING","message":"hi"}', { level: WARN, message: 'hi', fields: null }],
    ['{"log.level":"error","message":"hi"}', { level: ERROR, message: 'hi', fields: null }],
    ['{"lvl":"err","msg":"hi"}', { level: ERROR, message: 'hi', fields: null }],
    ['{"message":"hi","level":"odd","severity":"error"}', { level: ERROR, fields: { level: 'odd' } }],
    ['{"message":"hi","severity":17}', { level: INFO, fields: { severity: 17 } }],
    ['{"event":"hi","level":"DEBUG"}', { level: DEBUG, message: 'hi', fields: null, time: null }],
    ['{"msg":"hi","time":1700000000123}', { level: INFO, message: 'hi', fields: null, time: 1700000000123 }],
    ['{"msg":"hi","ts":1700000000.5}', { level: INFO, message: 'hi', fields: null, time: 1700000000500 }],
    [
      '{"message":"hi","timestamp":"2025-01-02T03:04:05.678Z","a":1}',
      { level: INFO, message: 'hi', fields: { a: 1 }, time: Date.UTC(2025, 0, 2, 3, 4, 5, 678) },
    ],
    [
      '{"timestamp":"2025-01-02T03:04:05Z","level":"INFO","fields":{"message":"hi","a":1},"target":"bot"}',
      { level: INFO, message: 'hi', fields: { fields: { a: 1 }, target: 'bot' }, time: Date.UTC(2025, 0, 2, 3, 4, 5) },
    ],
    ['{"fields":{"message":"hi"}}', { level: INFO, message: 'hi', fields: null, time: null }],
    [
      '{"message":"hi","event":"kept","level":"odd"}',
      { level: INFO, message: 'hi', fields: { event: 'kept', level: 'odd' } },
    ],
    ['{"message":"hi","time":12}', { message: 'hi', fields: { time: 12 }, time: null }],
    ['{"message":"hi","level":"constructor"}', { level: INFO, fields: { level: 'constructor' } }],
  ])('%s', (line, expected) => {
    expect(meaning(line)).toMatchObject({ kind: 'log', ...expected });
  });
  it.each(['{"a":1}', '{"message":1}', '{"level":"error"}', '{"fields":[]}', '{"fields":{"message":2}}'])(
    '%s is text',
    (line) => {
      expect(meaning(line)).toBeNull();
    },
  );
  it.each([
    [10, DEBUG],
    [20, DEBUG],
    [30, INFO],
    [40, WARN],
    [50, ERROR],
    [60, ERROR],
    ['Critical', ERROR],
    ['fatal', ERROR],
    ['nonsense', null],
    [true, null],
  ])('level %j', (value, level) => {
    expect(levelOf(value)).toBe(level);
  });
});
