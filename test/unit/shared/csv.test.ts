import { expect, it } from 'vitest';
import { csvText } from '../../../src/shared/csv.ts';

it('writes a head and rows, quoted where they must be', () => {
  expect(
    csvText(
      ['a', 'b'],
      [
        ['1,5', 'say "hi"'],
        ['two\nlines', ''],
      ],
    ),
  ).toBe('a,b\r\n"1,5","say ""hi"""\r\n"two\nlines",\r\n');
});

it.each(['=1+1', '+1', '-cmd', '@sum(a1)', '\tx', '＝1+1'])('makes no formula of %j', (text) => {
  expect(csvText([], [[text]])).toBe(`\r\n'${text}\r\n`);
});

it.each(['-0.5', '12', '-3'])('leaves the number %s as it is', (text) => {
  expect(csvText([], [[text]])).toBe(`\r\n${text}\r\n`);
});
