import type { CSSProperties, ReactNode } from 'react';
import { useStore } from 'zustand';
import type { FileProblem } from '../../../contract/custom-bot.ts';
import type { ProjectSession } from '../../data/project/project-session.ts';
import styles from './editor.module.css';
import { Output } from './output.tsx';
import { Problems } from './problems.tsx';

export type BottomPanelName = 'problems' | 'output';

interface BottomPanelProps {
  readonly session: ProjectSession;
  readonly problems: readonly FileProblem[];
  readonly shown: BottomPanelName;
  readonly height: CSSProperties;
  readonly onShow: (name: BottomPanelName) => void;
  readonly onPick: (problem: FileProblem) => void;
}

/** The panel below the text: problems, and the output of a run. */
export function BottomPanel({ session, problems, shown, height, onShow, onPick }: BottomPanelProps) {
  const { isChecked, warnings, run, lines } = useStore(session.store);
  return (
    <section className={styles.panel} style={height} aria-label="Problems and output">
      <div className={styles.panelHead} role="tablist" aria-label="Below the text">
        <PanelTab isShown={shown === 'problems'} onPick={() => onShow('problems')}>
          Problems{' '}
          <span className={styles.count} data-wrong={problems.length > 0}>
            {problems.length + warnings.length}
          </span>
        </PanelTab>
        <PanelTab isShown={shown === 'output'} onPick={() => onShow('output')}>
          Output
        </PanelTab>
      </div>
      <div className={styles.panelBody} role="tabpanel">
        {shown === 'output' ? (
          <Output run={run} lines={lines} />
        ) : (
          <Problems isChecked={isChecked} problems={problems} warnings={warnings} onPick={onPick} />
        )}
      </div>
    </section>
  );
}

interface PanelTabProps {
  readonly isShown: boolean;
  readonly onPick: () => void;
  readonly children: ReactNode;
}

function PanelTab({ isShown, onPick, children }: PanelTabProps) {
  return (
    <button type="button" role="tab" aria-selected={isShown} className={styles.panelTab} onClick={onPick}>
      {children}
    </button>
  );
}
