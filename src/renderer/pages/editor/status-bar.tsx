import { CircleCheck, CircleX, LoaderCircle, TriangleAlert } from 'lucide-react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import type { FileProblem } from '../../../contract/custom-bot.ts';
import { counted } from '../../../shared/counted.ts';
import { isDirty } from '../../data/project/open-file-state.ts';
import type { ProjectSession } from '../../data/project/project-session.ts';
import type { ServerActivity, TextStatus } from '../../data/project/status-bar-state.ts';
import styles from './status-bar.module.css';

const ACTIVITY: Readonly<Record<ServerActivity, string>> = {
  starting: 'starting',
  checking: 'checking',
  ready: 'ready',
  failed: 'not running',
};

interface StatusBarProps {
  readonly session: ProjectSession;
  readonly problems: readonly FileProblem[];
  readonly onProblems: () => void;
}

/** One line on the state of the project and of the text that is shown. */
export function StatusBar({ session, problems, onProblems }: StatusBarProps) {
  const { warnings, isChecked } = useStore(
    session.store,
    useShallow(({ warnings, isChecked }) => ({ warnings, isChecked })),
  );
  const { text, servers } = useStore(session.status);
  const file = useStore(session.store, ({ files, active }) => files.get(active ?? ''));
  return (
    <section className={styles.bar} aria-label="Status of the editor">
      <button type="button" className={styles.problems} onClick={onProblems}>
        <Problems problems={problems.length} warnings={warnings.length} isChecked={isChecked} />
      </button>
      {[...servers].map(([language, activity]) => (
        <span key={language} className={styles.server} data-activity={activity}>
          {activity === 'starting' || activity === 'checking' ? <LoaderCircle aria-hidden="true" /> : null}
          {language} help: {ACTIVITY[activity]}
        </span>
      ))}
      <span className={styles.rest} />
      {file === undefined || text === null ? null : (
        <>
          <Position {...text} />
          <span>{text.indent.unit === 'tabs' ? 'Tabs' : `${text.indent.width} spaces`}</span>
          <span>
            {file.text.startsWith('\ufeff') ? 'UTF-8 with BOM' : 'UTF-8'} · {text.lineEnd}
          </span>
          <span>{text.language}</span>
          <span>{file.kind === 'read only' ? 'Cannot be changed' : isDirty(file) ? 'Not saved' : 'Saved'}</span>
        </>
      )}
    </section>
  );
}

function Position({ line, column, selected }: TextStatus) {
  return (
    <span className={styles.position}>
      Line {line}, column {column}
      {selected === 0 ? null : ` · ${selected} selected`}
    </span>
  );
}

interface ProblemsProps {
  readonly problems: number;
  readonly warnings: number;
  readonly isChecked: boolean;
}

function Problems({ problems, warnings, isChecked }: ProblemsProps) {
  if (problems + warnings === 0) {
    return isChecked ? (
      <>
        <CircleCheck aria-hidden="true" /> No problems
      </>
    ) : (
      'Not checked yet'
    );
  }
  return (
    <>
      {problems === 0 ? null : (
        <>
          <CircleX aria-hidden="true" className={styles.wrong} /> {counted(problems, 'problem')}
        </>
      )}
      {warnings === 0 ? null : (
        <>
          <TriangleAlert aria-hidden="true" className={styles.odd} /> {counted(warnings, 'warning')}
        </>
      )}
    </>
  );
}
