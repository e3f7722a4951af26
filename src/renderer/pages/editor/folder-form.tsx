import { FolderSearch, type LucideIcon } from 'lucide-react';
import type { FormEvent, ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { Project } from '../../../contract/project.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { desktopApp } from '../../data/desktop.ts';
import { toastFailed } from '../../data/toasts.ts';
import { useAction } from '../../data/use-call.ts';
import styles from './chooser.module.css';

interface FolderFormProps {
  readonly title: string;
  /** Further fields beside the folder. */
  readonly children?: ReactNode;
  readonly hint: string;
  readonly dir: string;
  readonly onDir: (dir: string) => void;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly isMain?: boolean;
  /** Something that is asked for has no answer yet. */
  readonly isIncomplete?: boolean;
  readonly projectOf: (dir: string) => Promise<Project>;
}

/** One of the ways to a project: a folder of the host's machine, and the action on it. */
export function FolderForm(props: FolderFormProps) {
  const {
    title,
    children,
    hint,
    dir,
    onDir,
    label,
    icon: Icon,
    isMain = false,
    isIncomplete = false,
    projectOf,
  } = props;
  const [, go] = useLocation();
  const work = useAction(async () => go(`/editor/${(await projectOf(dir.trim())).project_id}`));
  const app = desktopApp();
  const choose = (): void => {
    app?.chooseFolder().then(
      (chosen) => chosen !== null && onDir(chosen),
      (thrown: unknown) => toastFailed('No folder could be chosen', thrown),
    );
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void work.run();
  };
  return (
    <form className={styles.way} aria-label={title} onSubmit={submit}>
      <h2>{title}</h2>
      {children}
      <Field label="Folder" hint={hint} value={dir} onChange={onDir} autoComplete="off" spellCheck={false} />
      {work.error === null ? null : <ErrorNote error={work.error} />}
      <div className={styles.acts}>
        <Button
          type="submit"
          kind={isMain ? 'primary' : 'plain'}
          icon={<Icon aria-hidden="true" />}
          disabled={isIncomplete || dir.trim() === ''}
          busy={work.busy}
        >
          {label}
        </Button>
        {app === null ? null : (
          <Button icon={<FolderSearch aria-hidden="true" />} onClick={choose}>
            Choose a folder
          </Button>
        )}
      </div>
    </form>
  );
}
