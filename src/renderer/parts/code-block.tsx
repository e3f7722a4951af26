import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly text: string;
  /** What the text is, for the copy button and for whoever cannot see it. */
  readonly label: string;
}

/** Text to copy as it stands: a command, a configuration, a key. */
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
