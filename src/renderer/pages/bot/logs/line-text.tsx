import { Lock } from 'lucide-react';
import type { AnsiStyle } from '../../../../shared/ansi.ts';
import { visible } from '../../../../shared/visible-text.ts';
import { type Piece, piecesOf, SHOWN_CHARS } from './line-pieces.ts';
import styles from './line-text.module.css';

/** Sign for the end of a line, where there is room for only one line. */
const NEW_LINE = '↵';

function lookOf({ fg, bg, bold, dim, italic, underline, strike, inverse }: AnsiStyle): string {
  const names = [
    fg === null || bg !== null ? null : styles[`fg-${fg}`],
    bg === null ? null : styles[`bg-${bg}`],
    bold ? styles.bold : null,
    dim ? styles.dim : null,
    italic ? styles.italic : null,
    underline ? styles.underline : null,
    strike ? styles.strike : null,
    inverse ? styles.inverse : null,
  ];
  return names.filter((name) => name !== null).join(' ');
}

function PieceText({ piece, isCurrent }: { readonly piece: Piece; readonly isCurrent: boolean }) {
  const { style, masked, hit } = piece;
  if (masked) {
    return (
      <span className={styles.mask} title="The host masked a secret here before it was stored">
        <Lock aria-hidden="true" />
        masked
      </span>
    );
  }
  const text = visible(piece.text);
  const look = style === null ? undefined : lookOf(style);
  if (hit) return <mark className={`${isCurrent ? styles.current : styles.hit} ${look ?? ''}`}>{text}</mark>;
  return look === undefined ? text : <span className={look}>{text}</span>;
}

interface LineTextProps {
  readonly text: string;
  readonly hasMasks: boolean;
  readonly search: string;
  /** True for the selected hit. */
  readonly isCurrent: boolean;
  /** Shows the whole line, however long, wrapped as needed. */
  readonly whole: boolean;
  /** Breaks the line where it is too long. */
  readonly wrap?: boolean;
}

/** A bot's line: colours as styles, masked values as a chip, search hits marked. Never HTML. */
export function LineText({ text, hasMasks, search, isCurrent, whole, wrap = false }: LineTextProps) {
  const isCut = !whole && text.length > SHOWN_CHARS;
  const cut = isCut ? text.slice(0, SHOWN_CHARS) : text;
  const shown = whole || wrap ? cut : cut.replaceAll('\n', NEW_LINE);
  const pieces = piecesOf(shown, hasMasks, search);
  return (
    <>
      {pieces.map((piece) => (
        <PieceText key={piece.at} piece={piece} isCurrent={isCurrent} />
      ))}
      {isCut ? '…' : null}
    </>
  );
}
