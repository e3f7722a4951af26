import { FolderPlus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import type { Project } from '../../../contract/project.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Field } from '../../components/field.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { useAction, useCall } from '../../data/use-call.ts';
import styles from './edit-version.module.css';

/** A version to edit, and the place in it that the editor shows first. */
export interface EditedVersion {
  readonly name: string;
  readonly version: string;
  /** Path of a file in it; null: its entry file. */
  readonly file?: string | null;
  /** From 1. */
  readonly line?: number | null;
}

/** Address of a project in the editor, at a place in it. */
export function editorPath(
  { project_id }: Pick<Project, 'project_id'>,
  file: string | null,
  line: number | null,
): string {
  const place = new URLSearchParams({
    ...(file === null ? {} : { file }),
    ...(line === null ? {} : { line: String(line) }),
  });
  return `/editor/${project_id}${place.size === 0 ? '' : `?${place}`}`;
}

interface EditVersionProps {
  readonly edited: EditedVersion;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Asks in which folder a published version is edited: one that the editor knows, or a new one with a copy of its files. */
export function EditVersion({ edited, open, onClose }: EditVersionProps) {
  return (
    <Dialog open={open} title={`Edit ${edited.name} ${edited.version}`} onClose={onClose}>
      <Ways edited={edited} onClose={onClose} />
    </Dialog>
  );
}

function Ways({ edited, onClose }: Omit<EditVersionProps, 'open'>) {
  const { name, version } = edited;
  const { socket } = useHost();
  const [, go] = useLocation();
  const about = useCall('custom_bots.get', { name, version });
  const host = useCall('host.get', {});
  const projects = useCall('projects.list', {});
  const [typed, setTyped] = useState<string | null>(null);
  const home = host.data?.home_dir ?? '';
  const separator = home.includes('\\') ? '\\' : '/';
  const dir = typed ?? (home === '' ? '' : [home, 'bots', `${name}-${version}`].join(separator));
  const show = (project: Project): void => {
    const file = edited.file ?? about.data?.entrypoints.bot ?? null;
    onClose();
    go(editorPath(project, file, edited.line ?? null));
  };
  const copy = useAction(async () =>
    show(await socket.call('projects.copy_version', { dir: dir.trim(), name, version })),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void copy.run();
  };
  const known = (projects.data?.items ?? []).filter((one) => one.present && one.name.startsWith(name)).slice(0, 3);
  const error = copy.error ?? projects.error;
  return (
    <form className={styles.form} onSubmit={submit}>
      {known.length === 0 ? null : (
        <section className={styles.part} aria-label="Folders that the editor knows">
          <p className={styles.dim}>Go on in a folder that you have opened before:</p>
          {known.map((project) => (
            <div key={project.project_id} className={styles.known}>
              <code>{project.dir}</code>
              <Button onClick={() => show(project)}>Open</Button>
            </div>
          ))}
        </section>
      )}
      <Field
        label="Copy into a new folder"
        hint="The whole path, on the machine of the host. It is made when it is not there; nothing is overwritten."
        value={dir}
        onChange={setTyped}
        autoComplete="off"
        spellCheck={false}
      />
      {error === null ? null : <ErrorNote error={error} />}
      <div className={styles.actions}>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          type="submit"
          icon={<FolderPlus aria-hidden="true" />}
          busy={copy.busy}
          disabled={dir.trim() === '' || about.data === null}
        >
          Copy and edit
        </Button>
      </div>
    </form>
  );
}
