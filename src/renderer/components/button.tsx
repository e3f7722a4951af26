import type { ButtonHTMLAttributes, ReactNode } from 'react';
import styles from './button.module.css';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** One primary button a view; `danger` for what cannot be taken back. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly busy?: boolean;
  readonly icon?: ReactNode;
}

export function Button({
  kind = 'plain',
  busy = false,
  icon,
  children,
  disabled,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={`${styles.button} ${styles[kind]}`}
      disabled={disabled === true || busy}
      aria-busy={busy}
    >
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : icon}
      {children}
    </button>
  );
}
