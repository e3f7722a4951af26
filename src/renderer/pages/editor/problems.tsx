import { CircleCheck, CircleX, TriangleAlert } from 'lucide-react';
import type { FileProblem } from '../../../contract/custom-bot.ts';
import { visibleName } from '../../../shared/visible-name.ts';
import styles from './problems-and-output.module.css';

interface ProblemsProps {
  readonly isChecked: boolean;
  readonly problems: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  readonly onPick: (problem: FileProblem) => void;
}

/** Problems that the host finds in the project, as it is typed. */
export function Problems({ isChecked, problems, warnings, onPick }: ProblemsProps) {
  if (!isChecked && problems.length === 0) return <p className={styles.none}>The host has not looked yet.</p>;
  if (problems.length + warnings.length === 0) {
    return (
      <p className={styles.none}>
        <CircleCheck aria-hidden="true" className={styles.good} /> The host finds nothing wrong with the project.
      </p>
    );
  }
  const rows = [
    ...problems.map((one) => ({ one, kind: 'error' as const })),
    ...warnings.map((one) => ({ one, kind: 'warning' as const })),
  ];
  return (
    <ul className={styles.problems} aria-label="Problems">
      {rows.map(({ one, kind }) => (
        <li key={`${one.file}:${one.line}:${one.column} ${one.message}`}>
          <button type="button" className={styles.problem} data-kind={kind} onClick={() => onPick(one)}>
            {kind === 'error' ? <CircleX aria-hidden="true" /> : <TriangleAlert aria-hidden="true" />}
            <span className="visually-hidden">{kind}: </span>
            <span className={styles.message}>
              {one.message}
              {one.hint === '' ? null : <span className={styles.hint}> {one.hint}</span>}
            </span>
            <code className={styles.place}>
              {visibleName(one.file)}:{one.line}:{one.column}
            </code>
          </button>
        </li>
      ))}
    </ul>
  );
}
