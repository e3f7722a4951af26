/** A part of a line of text. */
export type Inline =
  | { readonly kind: 'text' | 'code' | 'strong' | 'em'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string };

/** A part of a document. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly content: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly content: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] }
  | {
      readonly kind: 'table';
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    };

const INLINE =
  /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(((?:[^()\s]|\([^()\s]*\))+)\)|(?<![\w*])\*([^*\s][^*]*)\*(?!\w)|<?(https?:\/\/[^\s<>)]+)>?/g;

/** Text, code, emphasis and links of one line. Only addresses of the web become links. */
export function readInline(line: string): Inline[] {
  const found: Inline[] = [];
  let end = 0;
  const text = (until: number): void => {
    if (until > end) found.push({ kind: 'text', text: line.slice(end, until) });
  };
  for (const match of line.matchAll(INLINE)) {
    const [whole, code, strong, label, href, em, address] = match;
    text(match.index);
    if (code !== undefined) found.push({ kind: 'code', text: code });
    else if (strong !== undefined) found.push({ kind: 'strong', text: strong });
    else if (em !== undefined) found.push({ kind: 'em', text: em });
    else if (address !== undefined) found.push({ kind: 'link', text: address, href: address });
    else if (label !== undefined && href !== undefined) {
      found.push(/^https?:\/\//.test(href) ? { kind: 'link', text: label, href } : { kind: 'text', text: label });
    }
    end = match.index + whole.length;
  }
  text(line.length);
  return found;
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const FENCE = /^\s*(```|~~~)/;
const ITEM = /^\s{0,6}(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const RULE = /^\s*\|?[\s:|-]*-[\s:|-]*\|?\s*$/;

function cells(line: string): Inline[][] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => readInline(cell.trim().replaceAll('\\|', '|')));
}

const begins = (line: string): boolean =>
  line.trim() === '' || HEADING.test(line) || FENCE.test(line) || ITEM.test(line);

/** The parts of a readme: headings, paragraphs, lists, tables and code. HTML in it stays text. */
export function readMarkdown(text: string): Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  let at = 0;
  const take = (goesOn: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && goesOn(lines[at] ?? '')) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (line.trim() === '') at += 1;
    else if (FENCE.test(line)) {
      at += 1;
      const code = take((one) => !FENCE.test(one));
      at += 1;
      blocks.push({ kind: 'code', text: code.join('\n') });
    } else if (heading !== null) {
      at += 1;
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, content: readInline(heading[2] ?? '') });
    } else if (line.includes('|') && RULE.test(lines[at + 1] ?? '') && (lines[at + 1] ?? '').includes('|')) {
      at += 2;
      const rows = take((one) => one.includes('|'));
      blocks.push({ kind: 'table', head: cells(line), rows: rows.map(cells) });
    } else if (item !== null) {
      const items: string[] = [];
      for (const one of take((next) => ITEM.test(next) || (/^\s+\S/.test(next) && !FENCE.test(next)))) {
        const next = ITEM.exec(one);
        if (next === null) items.push(`${items.pop() ?? ''} ${one.trim()}`);
        else items.push(next[2] ?? '');
      }
      blocks.push({ kind: 'list', ordered: item[1] !== undefined, items: items.map(readInline) });
    } else {
      at += 1;
      const rest = take((one) => !begins(one));
      blocks.push({ kind: 'paragraph', content: readInline([line, ...rest].map((one) => one.trim()).join(' ')) });
    }
  }
  return blocks;
}
