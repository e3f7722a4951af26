import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  readonly text: string;
  /** What it is, for the copy button and for those who cannot see it. */
  readonly label: string;
  /** What is copied, where that is not what is shown. */
  readonly copy?: string;
}

/** Text for a machine, with a button that copies it. */
export function CodeBlock({ text, label, copy = text }: CodeBlockProps) {
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className={styles.text} tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <span className={styles.copy}>
        <CopyButton text={copy} label={`Copy ${label}`} />
      </span>
    </div>
  );
}
