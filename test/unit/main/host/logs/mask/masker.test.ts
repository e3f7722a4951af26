import { describe, expect, it } from 'vitest';
import { createMasker, maskerOf } from '../../../../../../src/main/host/logs/mask/masker.ts';

const VALUE = 'S3cr3t-Value-1234567890';
const BODY = ['MIIFakeFakeFakeFakeFakeFakeFakeFakeFakeFakeFakeFakeFakeFakeFake', 'AbCd=='];
const BEGIN = '-----BEGIN EC PRIVATE KEY-----';
const END = '-----END EC PRIVATE KEY-----';

describe('exact values', () => {
  const masker = createMasker([VALUE, 'signal', '123456', 'overlap-one', 'one-overlap', 'schlüssel-🔑']);

  it.each([
    [`a ${VALUE} b ${VALUE}`, 'a *** b ***', 2],
    [`${VALUE}${VALUE}`, '***', 1],
    [`${VALUE.toLowerCase()} Signal`, '*** Signal', 1],
    ['overlap-one-overlap', '***', 1],
    ['ä 😀 schlüssel-🔑 😀', 'ä 😀 *** 😀', 1],
    ['{"a":"\\nsignal"}', '{"a":"***"}'.replace('***', '\\n***'), 1],
    ['pin 123456.', 'pin ***.', 1],
    ['{"pin":"123456"}', '{"pin":"***"}', 1],
    ['{"price":123456,"v":[123456, 1123456]}', '{"price":"***","v":["***", 1123456]}', 2],
    ['price 123456.78 and 9123456', 'price 123456.78 and 9123456', 0],
    [
      '{"_metric":"signal","timestamp":"2026-01-01","type":"signal"}',
      '{"_metric":"signal","timestamp":"2026-01-01","type":"***"}',
      1,
    ],
  ])('%s', (line, text, spans) => {
    expect(masker.maskLine(line)).toEqual({ text, spans });
  });

  it('keep JSON text whole where a value cuts an escape', () => {
    const cutting = createMasker(['nabcdef', 'abcdef\\', '0041xyz']);
    for (const text of ['\nabcdef tail', 'abcdef\\ tail', 'abcdef" tail']) {
      const masked = cutting.maskLine(JSON.stringify({ text, n: 1 }));
      expect(masked.spans).toBe(1);
      expect(JSON.parse(masked.text)).toMatchObject({ n: 1 });
    }
    expect(JSON.parse(cutting.maskLine('{"a":"x\\u0041xyz"}').text)).toEqual({ a: 'x***' });
  });

  it('are masked when a long one is cut off, and when very long', () => {
    const long = `${'Ab1'.repeat(100)}-end`;
    const masked = createMasker([long]).maskLine(`got ${long.slice(0, 90)}… and ${long.slice(0, 40)}`);
    expect(masked).toEqual({ text: 'got ***… and ***', spans: 2 });
    const words = 'https://hooks.example.com/services/of-the-team/and-its-channel';
    expect(createMasker([words]).maskLine(`see ${words.slice(0, 40)} for more`).spans).toBe(0);
    const huge = createMasker([Array.from({ length: 4000 }, (_, i) => `line-${i}-${'x'.repeat(50)}`).join('\n')]);
    expect(huge.maskLine(`line-3999-${'x'.repeat(50)}`).text).toBe('***');
  });

  it('tell how far to look beyond a cut', () => {
    expect(createMasker([]).overlap).toBe(1280);
    expect(createMasker(['x'.repeat(5000)]).overlap).toBeGreaterThanOrEqual(10_000);
  });
});

describe('private key blocks', () => {
  it('are masked over lines, per stream', () => {
    const masker = createMasker([]);
    const one = masker.newStream();
    const other = masker.newStream();
    expect(one.maskLine(`key: ${BEGIN}`)).toEqual({ text: 'key: ***', spans: 1 });
    expect(one.inBlock).toBe(true);
    expect(other.inBlock).toBe(false);
    for (const line of BODY) {
      expect(other.maskLine(line).text).toBe(line);
      expect(one.maskLine(line).text).toBe('***');
    }
    expect(one.maskLine(`${END} then password=hunter2`)).toEqual({ text: '*** then password=***', spans: 2 });
    expect(one.maskLine('free')).toEqual({ text: 'free', spans: 0 });
  });

  it('end after 200 lines', () => {
    const stream = createMasker([]).newStream();
    stream.maskLine(BEGIN);
    const texts = Array.from({ length: 201 }, () => stream.maskLine('line').text);
    expect(texts.slice(0, 200).every((text) => text === '***')).toBe(true);
    expect(texts[200]).toBe('line');
  });

  it('are masked within one line, JSON stays JSON', () => {
    const masker = createMasker([]);
    const line = JSON.stringify({ key: [BEGIN, ...BODY, END].join('\n'), after: 'shown' });
    expect(JSON.parse(masker.maskLine(line).text)).toEqual({ key: '***', after: 'shown' });
    const cut = masker.newStream();
    expect(JSON.parse(cut.maskLine(JSON.stringify({ key: `${BEGIN}\nMII`, after: 1 })).text)).toEqual({
      key: '***',
      after: 1,
    });
    expect(cut.inBlock).toBe(false);
  });

  it('do not begin where a text only speaks of one, or with a public key', () => {
    const stream = createMasker([]).newStream();
    stream.maskLine(`expected ${BEGIN} at the start of the file`);
    expect(stream.inBlock).toBe(false);
    expect(stream.maskLine('-----BEGIN CERTIFICATE-----').spans).toBe(0);
    expect(stream.inBlock).toBe(false);
  });

  it('are masked in a text of several lines', () => {
    const text = ['before', BEGIN, ...BODY, END, 'after'].join('\n');
    expect(createMasker([]).maskText(text)).toBe('before\n***\n***\n***\n***\nafter');
  });
});

it('hides all of a value in an answer that ends with what an encoding writes otherwise', () => {
  const value = 'Vt6KXt6H9Cm6yu8q/gTfJrsivItzLEf8IDVN5kGu2R=';
  expect(createMasker([value]).hideValues(`got ${value}, and ${value}`)).toBe('got ***, and ***');
});

it('hides all of two values that overlap in an answer', () => {
  const masker = createMasker(['the first value of the two', 'two and the second value']);
  expect(masker.hideValues({ a: 'x the first value of the two and the second value y' })).toEqual({ a: 'x *** y' });
});

describe('a secret that is a number', () => {
  const masker = createMasker(['48151', '1234']);

  it('is hidden where it stands as a JSON number, unless it is short', () => {
    const value = { pin: 48151, more: [48151, { n: -1 }], count: 1234, other: 481510 };
    const hidden = { pin: '***', more: ['***', { n: -1 }], count: 1234, other: 481510 };
    expect(masker.hideValues(value)).toEqual(hidden);
    expect(masker.maskJson(value)).toEqual(hidden);
  });

  it('is hidden in text wherever it stands alone, also in a line that begins as JSON does', () => {
    expect(createMasker(['481516']).maskLine('[12:00:00] the pin is 481516 now').text).toBe(
      '[12:00:00] the pin is *** now',
    );
    expect(createMasker(['481516']).maskLine("said 'pin\\n481516\\t' and n481516").text).toBe(
      "said 'pin\\n***\\t' and n481516",
    );
    expect(createMasker(['481516']).maskLine('order a481516b of 14815162').text).toBe('order a481516b of 14815162');
  });

  it('is hidden in text that is JSON, which stays JSON', () => {
    const masker = createMasker(['481516', '342698864107400266641']);
    expect(masker.maskLine('["pin",481516,[342698864107400266641],4815162]').text).toBe(
      '["pin","***",["***"],4815162]',
    );
    expect(masker.maskLine('{"order": 481516 }').text).toBe('{"order": "***" }');
    expect(masker.maskLine('["481516", 1]').text).toBe('["***", 1]');
    expect(masker.maskLine('["pin","***"]').text).toBe('["pin","***"]');
  });

  it('is hidden in the texts of JSON as in any text, so that it stays JSON', () => {
    const masker = createMasker(['481516', '342698864107400266641']);
    expect(masker.maskLine('["pin 481516 of [481516, 2]", 481516, "a\\" 481516 }"]').text).toBe(
      '["pin *** of [***, 2]", "***", "a\\" *** }"]',
    );
    expect(masker.maskLine('[{"a b 342698864107400266641 c": "order a481516 , 4815162"}]').text).toBe(
      '[{"a b *** c": "order a481516 , 4815162"}]',
    );
  });

  it('is hidden anywhere when it is long: within a word, and as a number that is rounded when it is read', () => {
    const long = '342698864107400266641';
    const masker = createMasker([long]);
    expect(masker.maskLine(`id_${long}Bearer x`).text).toBe('id_***Bearer x');
    const value = JSON.parse(`{"account":${long},"other":${Number(long) * 2}}`);
    expect(masker.maskJson(value)).toEqual({ account: '***', other: Number(long) * 2 });
    expect(masker.hideValues(value)).toEqual({ account: '***', other: Number(long) * 2 });
  });

  it('is hidden beside other secrets', () => {
    expect(createMasker([VALUE, '48151623']).hideValues({ a: `x ${VALUE}`, b: 48151623, 48151623: true })).toEqual({
      a: 'x ***',
      b: '***',
      '***': true,
    });
  });
});

describe('maskJson', () => {
  const masker = createMasker([VALUE, 'signal']);

  it('masks texts by name, rule and value, and nothing else', () => {
    const value = {
      status: 'error',
      message: `login with ${VALUE} failed`,
      api_key: 'abc',
      password: '12345678',
      secret: true,
      credentials: { user: 'bob', list: ['x', 7, null] },
      max_tokens: 4096,
      token: 'ETH',
      price: 123.45,
      nested: [{ url: 'redis://:hunter2@db' }],
    };
    expect(masker.maskJson(value)).toEqual({
      status: 'error',
      message: 'login with *** failed',
      api_key: '***',
      password: '***',
      secret: true,
      credentials: { user: '***', list: ['***', 7, null] },
      max_tokens: 4096,
      token: 'ETH',
      price: 123.45,
      nested: [{ url: 'redis://:***@db' }],
    });
  });

  it('masks a list that spells a short value out, and leaves lists of other bytes and texts', () => {
    const short = createMasker(['veryhush77']);
    const others = { codes: [...Buffer.from('a word of it: very')], texts: ['hush', 'very'], u8: { 0: 1, 1: 2 } };
    const value = { letters: [...'veryhush77'], bytes: [...Buffer.from('veryhush77')], ...others };
    const hidden = { letters: ['***'], bytes: ['***'], ...others };
    expect([short.maskJson(value), short.hideValues(value)]).toEqual([hidden, hidden]);
  });

  it('leaves lists of ordinary numbers and levels, whatever numbers are secret', () => {
    const numeric = createMasker(['12345678', '539103', '000000000000000001']);
    const value = {
      hours: Array.from({ length: 24 }, (_, hour) => hour),
      level: ['96.539', '103'],
      flags: Array(200).fill(0),
      candle: [1_700_000_000, 1.5, 2, 1, 1.75, 12],
    };
    expect(numeric.maskJson(value)).toBe(value);
    expect(numeric.hideValues(value)).toEqual(value);
  });

  it('gives back what holds no secret, and knows names that it has seen, however many', () => {
    const clean = { a: [1, { b: 'text' }], c: null };
    expect(masker.maskJson(clean)).toBe(clean);
    for (let i = 0; i < 2500; i++) {
      const hidden = { [`n${i}`]: { api_key: '***', [`x ***${i}`]: i } };
      expect(masker.maskJson({ [`n${i}`]: { api_key: 'abc', [`x ${VALUE}${i}`]: i } })).toEqual(hidden);
    }
  });

  it('leaves a metric its type and time', () => {
    const metric = {
      _metric: 'signal',
      timestamp: '2026-11-20T10:00:00Z',
      type: 'signal',
      inner: { _metric: 'signal' },
    };
    expect(masker.maskJson(metric)).toEqual({ ...metric, type: '***', inner: { _metric: '***' } });
    expect(masker.maskJson({ _metric: `x ${VALUE}`, timestamp: 5 })).toEqual({ _metric: 'x ***', timestamp: 5 });
    expect(masker.maskJson({ _metric: `npm_${'A1'.repeat(18)}` })).toEqual({ _metric: '***' });
  });

  it('knows a value by the name in its list, a header by its name, and a private key in lines of a list', () => {
    expect(
      masker.maskJson({
        env: [
          { name: 'REGION', value: 'eu' },
          { name: 'DB_PASSWORD', value: 'hunter2' },
        ],
        headers: { 'OK-ACCESS-SIGN': 'q1w2e3r4t5=', Accept: '*/*' },
        lines: ['a', '-----BEGIN EC PRIVATE KEY-----', 'MIIFakeFakeFakeFake', '-----END EC PRIVATE KEY-----', 'b'],
        secret_key: Array.from({ length: 64 }, (_, i) => i),
        weights: Array.from({ length: 20 }, () => 1),
      }),
    ).toEqual({
      env: [
        { name: 'REGION', value: 'eu' },
        { name: 'DB_PASSWORD', value: '***' },
      ],
      headers: { 'OK-ACCESS-SIGN': '***', Accept: '*/*' },
      lines: ['a', '***', '***', '***', 'b'],
      secret_key: ['***'],
      weights: Array.from({ length: 20 }, () => 1),
    });
  });

  it('treats every key as data, masks secrets in keys, and loses none', () => {
    const input: unknown = JSON.parse(`{"__proto__":{"a":"${VALUE}"},"${VALUE}":1,"x${VALUE}":2,"x***":3}`);
    const output = masker.maskJson(input);
    expect(JSON.stringify(output)).toBe('{"__proto__":{"a":"***"},"***":1,"x***":2,"x*** 2":3}');
    expect(Object.getPrototypeOf(output)).toBe(Object.prototype);
  });

  it('masks whole what is nested too deep', () => {
    const depth = 100_000;
    const deep: unknown = JSON.parse(`${'['.repeat(depth)}"${VALUE}"${']'.repeat(depth)}`);
    expect(JSON.stringify(masker.maskJson(deep))).toBe(`${'['.repeat(200)}"***"${']'.repeat(200)}`);
    expect(masker.maskJson('plain')).toBe('plain');
    expect(masker.maskJson(null)).toBeNull();
  });
});

describe('the masker of a list', () => {
  it('is made once, and hides the values of that list alone', () => {
    const [one, other] = [[VALUE], ['Another-Value-987654321']];
    expect(maskerOf(one)).toBe(maskerOf(one));
    expect(maskerOf(one).hideValues(`${VALUE} ${other[0]}`)).toBe(`*** ${other[0]}`);
    expect(maskerOf(other).hideValues(`${VALUE} ${other[0]}`)).toBe(`${VALUE} ***`);
  });

  it('keeps kilobytes for each list, though it masks by all rules', () => {
    const count = 100;
    const lists = Array.from({ length: count }, (_, at) => [`${VALUE}-${at}`, `hunter2abc${at}`]);
    maskerOf(['warm-up']).maskText('');
    const before = process.memoryUsage().arrayBuffers;
    for (const [at, list] of lists.entries()) {
      const masker = maskerOf(list);
      expect(masker.maskText(`a ${VALUE}-${at}\npassword=${VALUE.slice(1)} hunter2abc${at}`)).toBe(
        'a ***\npassword=*** ***',
      );
      expect(masker.maskJson({ password: 'x1', text: `hunter2abc${at}` })).toEqual({ password: '***', text: '***' });
    }
    expect((process.memoryUsage().arrayBuffers - before) / count).toBeLessThan(300_000);
    expect(lists.map((list) => maskerOf(list)).length).toBe(count);
  });

  it('keeps no more for 20 secrets and lines of a log', () => {
    const count = 20;
    const made = Array.from({ length: count }, (_, at) =>
      createMasker(Array.from({ length: 20 }, (_, i) => `${VALUE}${i * 7919}${VALUE}${at}`)),
    );
    const before = process.memoryUsage().arrayBuffers;
    const bytes = Buffer.from('nothing\n');
    for (const masker of made) masker.scan(bytes, 0, bytes.length, new Uint32Array(1), new Uint8Array(1));
    expect((process.memoryUsage().arrayBuffers - before) / count).toBeLessThan(300_000);
  });

  it('masks by rules and by values what lies across both, and a private key of several lines', () => {
    const values = ['481516', 'Bearer-And-More-1234', 'MIIEvQIBADANBgkq'];
    const text = [
      'Authorization: Bearer Bearer-And-More-1234-rest',
      '{"pin": 481516, "password": "x481516"}',
      BEGIN,
      ...BODY,
      END,
      'pin 481516',
    ];
    const lines = createMasker(values).newStream();
    expect(maskerOf(values).maskText(text.join('\n'))).toBe(text.map((line) => lines.maskLine(line).text).join('\n'));
  });
});
