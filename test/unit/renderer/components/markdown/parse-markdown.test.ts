import { describe, expect, it } from 'vitest';
import { readInline, readMarkdown } from '../../../../../src/renderer/components/markdown/parse-markdown.ts';

describe('readMarkdown', () => {
  it('knows headings, paragraphs, lists, tables and code', () => {
    const text =
      '# Title\n\nOne\ntwo.\n\n- a\n  more\n- b\n\n1. x\n\n| A | B |\n|---|:-:|\n| 1 | `a \\| b` |\n\n```sh\n# not a heading\n```\n';
    const blocks = readMarkdown(text);
    expect(blocks.map((one) => one.kind)).toEqual(['heading', 'paragraph', 'list', 'list', 'table', 'code']);
    expect(blocks[1]).toEqual({ kind: 'paragraph', content: [{ kind: 'text', text: 'One two.' }] });
    expect(blocks[2]).toMatchObject({ ordered: false, items: [[{ text: 'a more' }], [{ text: 'b' }]] });
    expect(blocks[3]).toMatchObject({ ordered: true });
    expect(blocks[4]).toMatchObject({ rows: [[[{ text: '1' }], [{ kind: 'code', text: 'a | b' }]]] });
    expect(blocks[5]).toEqual({ kind: 'code', text: '# not a heading' });
  });

  it('ends for fences that do not', () => {
    expect(readMarkdown('```\nabc')).toEqual([{ kind: 'code', text: 'abc' }]);
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'other.md'])('makes no link of %s', (href) => {
    expect(readInline(`[go](${href})`)).toEqual([{ kind: 'text', text: 'go' }]);
  });

  it('makes links of web addresses, and leaves HTML a text', () => {
    expect(readInline('see https://a.example/x and **b** `c` <script>')).toEqual([
      { kind: 'text', text: 'see ' },
      { kind: 'link', text: 'https://a.example/x', href: 'https://a.example/x' },
      { kind: 'text', text: ' and ' },
      { kind: 'strong', text: 'b' },
      { kind: 'text', text: ' ' },
      { kind: 'code', text: 'c' },
      { kind: 'text', text: ' <script>' },
    ]);
  });
});
