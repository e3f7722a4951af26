import { useMemo } from 'react';
import { linesOf } from '../../shared/line-diff.ts';
import styles from './source-text.module.css';

interface SourceTextProps {
  readonly text: string;
  /** Name of the text, for screen readers. */
  readonly label: string;
}

/** The text of a file with the numbers of its lines; copying takes the text alone. */
export function SourceText({ text, label }: SourceTextProps) {
  const numbers = useMemo(() => linesOf(text).map((_, i) => i + 1), [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <pre className={styles.numbers} aria-hidden="true">
        {numbers.join('\n')}
      </pre>
      <pre className={styles.text}>{text}</pre>
    </section>
  );
}
