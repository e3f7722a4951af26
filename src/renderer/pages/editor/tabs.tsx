import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { visibleName } from '../../../shared/visible-name.ts';
import { isDirty, type OpenFile } from '../../data/project/open-file-state.ts';
import styles from './tabs.module.css';

interface TabsProps {
  readonly tabs: readonly string[];
  readonly files: ReadonlyMap<string, OpenFile>;
  readonly active: string | null;
  readonly wrong: ReadonlySet<string>;
  readonly onPick: (path: string) => void;
  readonly onClose: (path: string) => void;
}

/** The open files: their names, with the folder where two are equal. */
export function Tabs({ tabs, files, active, wrong, onPick, onClose }: TabsProps) {
  const names = tabs.map((path) => path.split('/').at(-1) ?? path);
  return (
    <nav className={styles.tabs} aria-label="Open files">
      {tabs.map((path, at) => {
        const name = names[at] ?? path;
        const file = files.get(path);
        const dirty = file !== undefined && isDirty(file);
        const isTwin = names.filter((one) => one === name).length > 1;
        return (
          <Tab
            key={path}
            path={path}
            name={name}
            folder={isTwin ? path.split('/').slice(0, -1).join('/') : ''}
            isActive={path === active}
            isDirty={dirty}
            isWrong={wrong.has(path)}
            onPick={() => onPick(path)}
            onClose={() => onClose(path)}
          />
        );
      })}
    </nav>
  );
}

interface TabProps {
  readonly path: string;
  readonly name: string;
  readonly folder: string;
  readonly isActive: boolean;
  readonly isDirty: boolean;
  readonly isWrong: boolean;
  readonly onPick: () => void;
  readonly onClose: () => void;
}

function Tab({ path, name, folder, isActive, isDirty: dirty, isWrong, onPick, onClose }: TabProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) ref.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isActive]);
  return (
    <div ref={ref} className={styles.tab} data-active={isActive} title={visibleName(path)}>
      <button type="button" aria-current={isActive ? 'page' : undefined} className={styles.pick} onClick={onPick}>
        <span className={isWrong ? styles.wrong : undefined}>{visibleName(name)}</span>
        {folder === '' ? null : <span className={styles.folder}>{folder}</span>}
        {dirty ? <span className="visually-hidden">, not saved</span> : null}
      </button>
      <button type="button" className={styles.close} data-dirty={dirty} aria-label={`Close ${name}`} onClick={onClose}>
        {dirty ? <span className={styles.dot} aria-hidden="true" /> : null}
        <X aria-hidden="true" />
      </button>
    </div>
  );
}
