import { LIMITS } from '../../../contract/limits.ts';
import type { ProjectFile } from '../../../contract/project.ts';
import type { PROJECT_OPERATIONS } from '../../../contract/project-operations.ts';
import type { ReadFile } from '../projects/confined.ts';
import { firstShownFile } from '../projects/first-shown-file.ts';
import { searchFiles } from '../projects/search-files.ts';
import { walkTree } from '../projects/walk-tree.ts';
import type { StreamSink } from './api-types.ts';
import type { Handlers, StreamHandlers } from './handler-types.ts';
import type { Reach } from './own-bot.ts';
import type { Services } from './services.ts';

type ProjectOperations = Extract<keyof Handlers, keyof typeof PROJECT_OPERATIONS>;

const DONE = { ok: true } as const;

const toFile = (path: string, { version, size, kind, text }: ReadFile): ProjectFile => ({
  path,
  version,
  size_bytes: size,
  kind,
  content: text,
});

/** Operations on project folders of this machine, for the editor. */
export function projectOperations(s: Services): Pick<Handlers, ProjectOperations> {
  const { projects } = s;
  return {
    'projects.list': async (_, { userId }) => ({ items: await projects.list(userId) }),
    'projects.open': ({ dir }, { userId }) => projects.open(userId, dir),
    'projects.create': ({ dir, template, name }, { userId }) => projects.create(userId, dir, template, name),
    'projects.copy_version': ({ dir, name, version }, { userId }) => projects.copyOf(userId, dir, name, version),
    'projects.forget': async ({ project_id }, { userId }) => {
      await projects.forget(userId, project_id);
      return DONE;
    },
    'projects.tree': async ({ project_id }, { userId }) => {
      const folder = await projects.folder(userId, project_id);
      const tree = await walkTree(folder.root);
      return { ...tree, entry: await firstShownFile(folder, tree.entries) };
    },
    'projects.read': async ({ project_id, path }, { userId }) =>
      toFile(path, await projects.at(userId, project_id, path, (folder) => folder.read(path))),
    'projects.write': async ({ project_id, path, content, version }, { userId }) =>
      toFile(path, await projects.at(userId, project_id, path, (folder) => folder.write(path, content, version))),
    'projects.create_folder': async ({ project_id, path }, { userId }) => {
      await projects.at(userId, project_id, path, (folder) => folder.makeFolder(path));
      return DONE;
    },
    'projects.rename': async ({ project_id, from, to }, { userId }) => {
      await projects.at(userId, project_id, to, (folder) => folder.move(from, to));
      return DONE;
    },
    'projects.delete': async ({ project_id, path }, { userId }) => ({
      kept: await projects.discard(userId, project_id, path),
    }),
    'projects.search': async ({ project_id, text, match_case, limit }, { userId }) =>
      searchFiles(
        await projects.folder(userId, project_id),
        { text, matchCase: match_case ?? false, limit: limit ?? LIMITS.projectMatches },
        s.now,
      ),
    'projects.check': ({ project_id, overlays, open }, { userId }) =>
      projects.check(userId, project_id, { overlays: overlays ?? [], open: open ?? [] }),
    'projects.run': ({ project_id }, { userId }) => projects.run(userId, project_id),
    'projects.stop': ({ project_id }, { userId }) => {
      projects.stop(userId, project_id);
      return DONE;
    },
    'projects.publish': ({ project_id }, { userId }) => projects.publish(userId, project_id),
    'projects.changes': ({ project_id }, { userId }) => projects.changes(userId, project_id),
    'projects.instance': async ({ project_id }, { userId }) => ({
      instance: await projects.instance(userId, project_id),
    }),
    'projects.published_file': async ({ project_id, version, path }, { userId }) =>
      toFile(path, await projects.publishedFile(userId, project_id, version, path)),
  };
}

/** Streams the events of an open project, live. */
async function streamProject(
  s: Services,
  { userId }: Reach,
  { project_id, after }: { readonly project_id: string; readonly after?: number | undefined },
  sink: StreamSink,
): Promise<() => void> {
  let over = false;
  let end: (() => void) | null = null;
  // Checked before `start`: once an event was sent, a refusal could only close the connection.
  await s.projects.folder(userId, project_id);
  sink.start(String(after ?? 0));
  const stop = await s.projects.follow(userId, project_id, after ?? 0, (event, seq) => {
    if (over || sink.push(String(seq), event)) return;
    over = true;
    end?.();
  });
  end = stop;
  if (over) stop();
  return stop;
}

/** The stream of a project. */
export function projectStreams(s: Services): Pick<StreamHandlers, 'projects.stream'> {
  return { 'projects.stream': (input, caller, sink) => streamProject(s, caller, input, sink) };
}
