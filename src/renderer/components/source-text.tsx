import { useEffect, useMemo, useRef } from 'react';
import { linesOf } from '../../shared/line-diff.ts';
import styles from './source-text.module.css';

interface SourceTextProps {
  readonly text: string;
  /** Name of the text, for screen readers. */
  readonly label: string;
  /** The line to mark and to scroll to, from 1; none where the text has no such line. */
  readonly line?: number;
}

/** The text of a file with the numbers of its lines; copying takes the text alone. */
export function SourceText({ text, label, line = 0 }: SourceTextProps) {
  const numbers = useMemo(() => linesOf(text).map((_, i) => i + 1), [text]);
  const mark = useRef<HTMLSpanElement>(null);
  const isMarked = numbers.includes(line);
  useEffect(() => {
    if (isMarked && line > 0) mark.current?.scrollIntoView({ block: 'center' });
  }, [isMarked, line]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <pre className={styles.numbers} aria-hidden="true">
        {numbers.join('\n')}
      </pre>
      <pre className={styles.text}>
        {text}
        {isMarked ? <span ref={mark} className={styles.mark} style={{ top: `calc(${line - 1} * 1lh)` }} /> : null}
      </pre>
    </section>
  );
}
