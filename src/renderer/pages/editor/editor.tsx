import { useEffect, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { createDrafts } from '../../data/project/drafts.ts';
import { ProjectSession } from '../../data/project/project-session.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { useCall } from '../../data/use-call.ts';
import { Chooser } from './chooser.tsx';
import { Workbench } from './workbench.tsx';

/** The editor of a project by its id, or the choice of one. */
export function Editor({ id }: { readonly id: string | undefined }) {
  return id === undefined ? <Chooser /> : <OpenProject key={id} id={id} />;
}

function OpenProject({ id }: { readonly id: string }) {
  const { socket, who } = useHost();
  const projects = useCall('projects.list', {});
  const project = projects.data?.items.find((one) => one.project_id === id);
  const [session, setSession] = useState<ProjectSession | null>(null);
  const userId = who.user.user_id;
  const asked = new URLSearchParams(useSearch());
  const [file, line] = [asked.get('file'), Number(asked.get('line') ?? 0)];
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list that was read again names the same project
  useEffect(() => {
    if (project === undefined) return;
    const drafts = createDrafts(userId, project.dir);
    const voice = { done: toastDone, failed: toastFailed };
    const made = new ProjectSession(project, socket, drafts, voice);
    let left = false;
    const place = line > 0 ? { place: { line, column: 1, length: 0 } } : {};
    made.start(file === null ? null : { path: file, ...place }).then(
      () => {
        if (!left) setSession(made);
      },
      (thrown: unknown) => toastFailed('The project could not be opened', thrown),
    );
    return () => {
      left = true;
      setSession(null);
      made.close().catch((thrown: unknown) => toastFailed('What was typed last may be lost', thrown));
    };
  }, [project?.project_id, socket, userId]);
  if (projects.error !== null && projects.data === null) return <ErrorNote error={projects.error} />;
  if (projects.data !== null && project === undefined) {
    return (
      <Empty title="This project is not on your list">
        <Link href="/editor">Choose a project</Link>
      </Empty>
    );
  }
  return session === null ? <Skeleton rows={8} label="Opening the project" /> : <Workbench session={session} />;
}
