import { CopyButton } from './copy-button.tsx';
import styles from './copyable-command.module.css';

/** A command to be copied. */
export function CommandLine({ text, label = 'Copy command' }: { readonly text: string; readonly label?: string }) {
  return (
    <div className={styles.line}>
      <code className={styles.text}>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}
