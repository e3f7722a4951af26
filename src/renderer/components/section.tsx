import { type ReactNode, useId } from 'react';
import styles from './section.module.css';

interface SectionProps {
  readonly title: string;
  /** One sentence, where the title does not say it all. */
  readonly about?: ReactNode;
  /** Actions of the section, at the right of its title. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A titled part of a page. */
export function Section({ title, about, action, children }: SectionProps) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header className={styles.head}>
        <div className={styles.words}>
          <h2 id={id}>{title}</h2>
          {about === undefined ? null : <p className={styles.about}>{about}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}
