import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadResponse, type HttpResponse, ResponseReader } from '../../../../../src/main/host/query/response-reader.ts';
import { testSeed } from '../../../../support/seeded-random.ts';

const MOST = 1000;
const BODY = '{"a":"ü"}';
const LENGTH = Buffer.byteLength(BODY);

/** The response in these pieces; where they do not complete it, what the end of the connection makes of it. */
function read(...pieces: readonly (string | Buffer)[]): HttpResponse | null {
  const reader = new ResponseReader(MOST);
  for (const [index, piece] of pieces.entries()) {
    const response = reader.take(Buffer.from(piece));
    if (response === null) continue;
    expect(index).toBe(pieces.length - 1);
    return response;
  }
  return reader.end();
}

const chunked = (...chunks: readonly string[]): string =>
  [...chunks, ''].map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`).join('');
const KEEP = 'Connection: keep-alive\r\n';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n';

/** Responses that real servers send, and what is read of them. */
const SOUND: readonly (readonly [string, string, HttpResponse])[] = [
  ['a length', `HTTP/1.1 200 OK\r\nContent-Length: ${LENGTH}\r\n\r\n${BODY}`, { status: 200, text: BODY, keep: false }],
  [
    'a kept connection',
    `HTTP/1.1 404 Not Found\r\n${KEEP}content-length:${LENGTH}\r\n\r\n${BODY}`,
    { status: 404, text: BODY, keep: true },
  ],
  [
    'a kept connection that is closed all the same',
    `HTTP/1.1 200 OK\r\nConnection: keep-alive, close\r\nContent-Length: 2\r\n\r\n{}`,
    { status: 200, text: '{}', keep: false },
  ],
  [
    'the same length twice',
    `HTTP/1.1 200 OK\r\n${KEEP}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
    { status: 200, text: '{}', keep: true },
  ],
  ['no reason', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}', { status: 200, text: '{}', keep: false }],
  ['lines of LF', 'HTTP/1.1 200 OK\nContent-Length: 2\n\n{}', { status: 200, text: '{}', keep: false }],
  [
    'empty lines before it, and a length with zeros in front',
    '\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 00000000000000000002\r\n\r\n{}',
    { status: 200, text: '{}', keep: false },
  ],
  [
    'a chunk size with zeros in front',
    `${CHUNKED}\r\n0000000000000002\r\n{}\r\n0000000000000000\r\n\r\n`,
    { status: 200, text: '{}', keep: false },
  ],
  ['an empty body', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', { status: 200, text: '', keep: false }],
  ['a status without a body', `HTTP/1.1 204 None\r\n${KEEP}\r\n`, { status: 204, text: '', keep: true }],
  [
    'a folded header',
    `HTTP/1.1 200 OK\r\nX-Note: a\r\n  b: c\r\nContent-Length: 2\r\n\r\n{}`,
    { status: 200, text: '{}', keep: false },
  ],
  ['chunks', `${CHUNKED}${KEEP}\r\n${chunked('{"a":', '"ü"}')}`, { status: 200, text: BODY, keep: true }],
  [
    'chunks with extensions and trailers',
    `${CHUNKED}${KEEP}\r\n2;name="x"\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n`,
    { status: 200, text: '{}', keep: true },
  ],
  ['chunks in lines of LF', `${CHUNKED.replaceAll('\r', '')}\n2\n{}\n0\n\n`, { status: 200, text: '{}', keep: false }],
  [
    'chunks and a length: the chunks count, and the connection ends',
    `${CHUNKED}${KEEP}Content-Length: 1\r\n\r\n${chunked('{}')}`,
    { status: 200, text: '{}', keep: false },
  ],
  [
    'interim responses before',
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}`,
    { status: 200, text: '{}', keep: false },
  ],
  [
    'bytes that nobody asked for behind it',
    `HTTP/1.1 200 OK\r\n${KEEP}Content-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n`,
    { status: 200, text: '{}', keep: false },
  ],
  ['the end of the connection', `HTTP/1.1 200 OK\r\n\r\n${BODY}`, { status: 200, text: BODY, keep: false }],
  [
    'the end of a connection that was to be kept',
    `HTTP/1.0 200 OK\r\n${KEEP}\r\n${BODY}`,
    { status: 200, text: BODY, keep: false },
  ],
  [
    'the end of the connection for a coding that is not read',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 1\r\n\r\n{}',
    { status: 200, text: '{}', keep: false },
  ],
];

describe('a response', () => {
  it.each(SOUND)('with %s', (_, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each(SOUND)('is read alike however its bytes come: %s', (_, text) => {
    const bytes = Buffer.from(text);
    const behind = bytes.includes('}HTTP');
    const cuts = fc.uniqueArray(fc.nat({ max: bytes.length }), { maxLength: 20 });
    fc.assert(
      fc.property(cuts, (places) => {
        const ends = [...places.sort((a, b) => a - b), bytes.length];
        const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        const reader = new ResponseReader(MOST);
        let response: HttpResponse | null = null;
        for (const piece of pieces) if (response === null) response = reader.take(piece);
        const { status, text: body, keep } = response ?? reader.end() ?? {};
        const whole = read(text);
        expect({ status, text: body }).toEqual({ status: whole?.status, text: whole?.text });
        if (!behind) expect(keep).toBe(whole?.keep);
      }),
      { seed: testSeed(), numRuns: 100 },
    );
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 'not HTTP'],
    ['no HTTP, before its first line ends', 'hello', 'not HTTP'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n', 'not HTTP/1'],
    ['another protocol', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n', 'another protocol'],
    ['a line without a name', 'HTTP/1.1 200 OK\r\nnothing\r\n\r\n', 'without a name'],
    ['an empty name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n', 'without a name'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n', 'Content-Length'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n', 'Content-Length'],
    ['a length in hexadecimal', 'HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\n', 'Content-Length'],
    ['a length beyond the limit', `HTTP/1.1 200 OK\r\nContent-Length: ${MOST + 1}\r\n\r\n`, 'too large'],
    ['a body beyond the limit', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(MOST + 1)}`, 'too large'],
    ['chunks beyond the limit', `${CHUNKED}\r\n${chunked('x'.repeat(MOST), 'x')}`, 'too large'],
    ['a chunk without a length', `${CHUNKED}\r\n;x\r\n`, 'without its length'],
    ['a chunk with a negative length', `${CHUNKED}\r\n-2\r\n`, 'without its length'],
    ['a chunk that is longer than it says', `${CHUNKED}\r\n2\r\n{}}\r\n`, 'longer than it said'],
    ['an endless head', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(17_000)}`, 'larger than 16384'],
    ['an endless chunk line', `${CHUNKED}\r\n2;${'x'.repeat(2000)}`, 'longer than 1024'],
    ['endless trailers', `${CHUNKED}\r\n0\r\n${'a: b\r\n'.repeat(4000)}`, 'too many trailers'],
    ['endless interim responses', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(17), 'interim'],
  ])('is refused for %s', (_, text, said) => {
    expect(() => read(text)).toThrow(BadResponse);
    expect(() => read(text)).toThrow(said);
  });

  it('is refused when it comes in too many pieces, or chunks', () => {
    const pieces = new ResponseReader(1e6);
    pieces.take(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'));
    expect(() => {
      for (let n = 0; n < 100_001; n += 1) pieces.take(Buffer.from('x'));
    }).toThrow('too many small pieces');
    const chunks = Buffer.from(`${CHUNKED}\r\n${'1\r\nx\r\n'.repeat(100_001)}`);
    expect(() => new ResponseReader(1e6).take(chunks)).toThrow('too many small pieces');
  });

  it('is refused when its chunks have more extensions than content', () => {
    const reader = new ResponseReader(MOST);
    const chunk = Buffer.from(`1;${'x'.repeat(1000)}\r\nx\r\n`);
    reader.take(Buffer.from(`${CHUNKED}\r\n`));
    expect(() => {
      for (let n = 0; n < MOST; n += 1) reader.take(chunk);
    }).toThrow('too large');
  });

  it('is whole or refused, never more, whatever the bytes are', () => {
    const words = [
      'HTTP/1.1 200 OK',
      '\r\n',
      '\n',
      ': ',
      'Content-Length',
      'Transfer-Encoding',
      'chunked',
      '2',
      'ff',
      '{}',
    ];
    const part = fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 5 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const reader = new ResponseReader(MOST);
        try {
          const response = reader.take(Buffer.from(parts.join(''))) ?? reader.end();
          if (response !== null) expect(Buffer.byteLength(response.text)).toBeLessThanOrEqual(MOST * 3);
        } catch (error) {
          expect(error).toBeInstanceOf(BadResponse);
        }
      }),
      { seed: testSeed(), numRuns: 2000 },
    );
  });

  it('has begun once its head is read, and tells what has come of a body that is cut', () => {
    const reader = new ResponseReader(MOST);
    reader.take(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n'));
    expect(reader.began).toBe(false);
    reader.take(Buffer.from('\r\n{"a"'));
    expect(reader.began).toBe(true);
    expect(reader.end()).toBeNull();
    expect(reader.soFar()).toEqual({ status: 200, text: '{"a"', keep: false });
  });
});
