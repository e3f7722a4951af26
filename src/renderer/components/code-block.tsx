import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly text: string;
  /** Name of the text, for the copy button and for screen readers. */
  readonly label: string;
}

/** Text to copy: a command, a configuration, a key. */
export function CodeBlock({ text, label }: CodeBlockProps) {
  return (
    <div className={styles.block}>
      <section className={styles.text} aria-label={label}>
        <pre>{text.trimEnd()}</pre>
      </section>
      <span className={styles.copy}>
        <CopyButton text={text.trimEnd()} label={`Copy ${label.toLowerCase()}`} />
      </span>
    </div>
  );
}
