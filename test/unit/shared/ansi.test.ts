import { describe, expect, it } from 'vitest';
import { parseAnsi, stripAnsi } from '../../../src/shared/ansi.ts';

const ESC = '\u001b';
const shown = (text: string): string[] =>
  parseAnsi(text).map(({ text: part, style }) => {
    if (style === null) return part;
    const set = Object.entries(style).filter(([, value]) => value !== null && value !== false);
    return `${part}{${set.map(([name, value]) => (value === true ? name : `${name}=${value}`)).join(' ')}}`;
  });

describe('escape sequences', () => {
  it('leaves plain text as it is', () => {
    expect(parseAnsi('a <b> & c\td\ne')).toEqual([{ text: 'a <b> & c\td\ne', style: null }]);
    expect(parseAnsi('')).toEqual([{ text: '', style: null }]);
  });

  it('turns colours and looks into styles until they are reset', () => {
    expect(shown(`a${ESC}[1;31mb${ESC}[22mc${ESC}[0md${ESC}[mx`)).toEqual(['a', 'b{fg=red bold}', 'c{fg=red}', 'dx']);
    expect(shown(`${ESC}[92mok${ESC}[39m ${ESC}[44mbg${ESC}[49m.`)).toEqual(['ok{fg=green}', ' ', 'bg{bg=blue}', '.']);
    expect(shown(`${ESC}[3;4;7;9mx`)).toEqual(['x{italic underline strike inverse}']);
  });

  it('brings palettes and true colours down to the hues of the theme', () => {
    expect(shown(`${ESC}[38;5;196ma${ESC}[38;5;46mb${ESC}[38;5;3mc${ESC}[38;5;240md`)).toEqual([
      'a{fg=red}',
      'b{fg=green}',
      'c{fg=yellow}',
      'd{fg=black}',
    ]);
    expect(shown(`${ESC}[38;2;20;30;250ma${ESC}[48;2;250;240;10;1mb`)).toEqual([
      'a{fg=blue}',
      'b{fg=blue bg=yellow bold}',
    ]);
  });

  it('leaves out everything else that a terminal would act on', () => {
    expect(stripAnsi(`${ESC}[2K${ESC}[1Gtext${ESC}]8;;http://x${ESC}\\link${ESC}]8;;\u0007\u0000\r`)).toBe('textlink');
    expect(stripAnsi(`${ESC}]0;title never ended`)).toBe('');
    expect(stripAnsi(`half${ESC}[`)).toBe('half');
    expect(stripAnsi(`${ESC}[38;5mx${ESC}[999my`)).toBe('xy');
  });

  it('never gives anything but text, whatever was printed', () => {
    const nasty = `<img src=x onerror=alert(1)>${ESC}[31m<script>${ESC}[0m`;
    expect(parseAnsi(nasty).map((span) => span.text)).toEqual(['<img src=x onerror=alert(1)>', '<script>']);
  });

  it('takes time in proportion to the length', () => {
    const begun = performance.now();
    parseAnsi(`${ESC}[31mx`.repeat(20_000) + `${ESC}]`.repeat(20_000));
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});
