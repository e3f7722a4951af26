import { describe, expect, it } from 'vitest';
import { ByteLines } from '../../../src/cli/byte-lines.ts';

function lines(chunks: readonly (Buffer | string)[], maxBytes = 100, end = true): (string | null)[] {
  const seen: (string | null)[] = [];
  const splitter = new ByteLines({ line: (text) => seen.push(text), tooLong: () => seen.push(null) }, maxBytes);
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  if (end) splitter.end();
  return seen;
}

describe('ByteLines', () => {
  it('gives the same lines however the stream is cut', () => {
    const bytes = Buffer.from('{"a":"ü"}\n\n🚀\r\nlast');
    const whole = ['{"a":"ü"}', '', '🚀\r', 'last'];
    for (let size = 1; size <= bytes.length; size++) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(lines(chunks)).toEqual(whole);
    }
  });

  it('tells of a line that is too long once, where it ends, and goes on', () => {
    expect(lines(['x'.repeat(60), 'x'.repeat(60), 'x\nok\n'])).toEqual([null, 'ok']);
    expect(lines([`${'x'.repeat(100)}\n${'x'.repeat(101)}\n`])).toEqual(['x'.repeat(100), null]);
    expect(lines(['x'.repeat(101)])).toEqual([null]);
    expect(lines(['x'.repeat(101)], 100, false)).toEqual([]);
  });
});
