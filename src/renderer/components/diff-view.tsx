import { useMemo, useState } from 'react';
import { type DiffLine, diffLines, type Hunk, hunkHead, hunks } from '../../shared/line-diff.ts';
import { Button } from './button.tsx';
import { sideBySide } from './diff-rows.ts';
import styles from './diff-view.module.css';

/** `unified`: one below the other; `split`: in two columns. */
export type DiffLayout = 'unified' | 'split';

interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  readonly layout: DiffLayout;
  /** Name of the comparison, for screen readers. */
  readonly label: string;
}

const SIGNS = { same: ' ', removed: '-', added: '+' } as const;
const WORDS = { same: null, removed: 'removed', added: 'added' } as const;
/** Most lines that are drawn before the user asks for all. */
const MOST_LINES = 2000;

function atMost(all: readonly Hunk[], most: number): { readonly shown: readonly Hunk[]; readonly left: number } {
  let left = most;
  const shown = all.flatMap((hunk): Hunk[] => {
    const lines = hunk.lines.slice(0, Math.max(0, left));
    left -= lines.length;
    return lines.length === 0 ? [] : [{ lines }];
  });
  const count = (some: readonly Hunk[]): number => some.reduce((sum, one) => sum + one.lines.length, 0);
  return { shown, left: count(all) - count(shown) };
}

/** The differences between two texts, line by line, with some context. */
export function DiffView({ before, after, layout, label }: DiffViewProps) {
  const [all, setAll] = useState(false);
  const found = useMemo(() => hunks(diffLines(before, after)), [before, after]);
  const { shown, left } = useMemo(() => atMost(found, all ? Number.POSITIVE_INFINITY : MOST_LINES), [found, all]);
  if (found.length === 0) return <p className={styles.none}>The same lines; only the final line break differs.</p>;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label={label}>
        <table className={styles.table} data-layout={layout}>
          {shown.map((hunk) => (
            <tbody key={hunkHead(hunk)}>
              <tr className={styles.head}>
                <td colSpan={layout === 'split' ? 4 : 3}>{hunkHead(hunk)}</td>
              </tr>
              {layout === 'split'
                ? sideBySide(hunk.lines).map(({ left: a, right: b }) => (
                    <tr key={`${a?.before} ${b?.after}`}>
                      <Cells line={a} number={a?.before} />
                      <Cells line={b} number={b?.after} />
                    </tr>
                  ))
                : hunk.lines.map((line) => (
                    <tr key={`${line.before} ${line.after}`}>
                      <td className={styles.number}>{line.before}</td>
                      <td className={styles.number}>{line.after}</td>
                      <Text line={line} />
                    </tr>
                  ))}
            </tbody>
          ))}
        </table>
      </section>
      {left === 0 ? null : (
        <p className={styles.none}>
          <Button onClick={() => setAll(true)}>Show {left} more lines</Button>
        </p>
      )}
    </>
  );
}

function Cells({ line, number }: { readonly line: DiffLine | null; readonly number: number | null | undefined }) {
  return (
    <>
      <td className={styles.number}>{number}</td>
      {line === null ? <td className={styles.nothing} /> : <Text line={line} />}
    </>
  );
}

function Text({ line: { kind, text } }: { readonly line: DiffLine }) {
  return (
    <td className={styles.text} data-kind={kind}>
      <span aria-hidden="true">{SIGNS[kind]} </span>
      {WORDS[kind] === null ? null : <span className="visually-hidden">{WORDS[kind]}: </span>}
      {text}
    </td>
  );
}
