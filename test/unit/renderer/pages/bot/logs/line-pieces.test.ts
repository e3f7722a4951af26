import { describe, expect, it } from 'vitest';
import { piecesOf } from '../../../../../../src/renderer/pages/bot/logs/line-pieces.ts';

describe('pieces of a line', () => {
  const shown = (line: string, hasMasks: boolean, search: string): string[] =>
    piecesOf(line, hasMasks, search).map(({ text, style, masked, hit }) =>
      [text, style?.fg, masked ? 'masked' : null, hit ? 'hit' : null].filter(Boolean).join('|'),
    );

  it('marks hits in any case, across colours', () => {
    expect(shown('an Order and oRDer', false, 'order')).toEqual(['an ', 'Order|hit', ' and ', 'oRDer|hit']);
    expect(shown('\u001b[31mor\u001b[0mder x', false, 'order')).toEqual(['or|red|hit', 'der|hit', ' x']);
  });

  it('shows masked places only where the host has masked', () => {
    expect(shown('token *** and ***', true, '')).toEqual(['token ', '***|masked', ' and ', '***|masked']);
    expect(shown('rating ***', false, '')).toEqual(['rating ***']);
    expect(shown('a *** b', true, '* b')).toEqual(['a ', '***|masked', ' b|hit']);
  });

  it('loses no character', () => {
    const line = '\u001b[1mlogin\u001b[0m *** as \u001b[32mbob\u001b[0m ***';
    expect(
      piecesOf(line, true, 'o')
        .map((piece) => piece.text)
        .join(''),
    ).toBe('login *** as bob ***');
  });
});
