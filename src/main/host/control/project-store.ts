import type { ControlDatabase } from './control-database.ts';

/** A folder that a user has opened. Times are milliseconds since the epoch. */
export interface ProjectRow {
  readonly project_id: string;
  readonly user_id: string;
  /** Absolute, without links. */
  readonly dir: string;
  readonly opened_at: number;
}

/** The projects of every user. */
export interface ProjectStore {
  /** The last opened first. */
  list(userId: string): ProjectRow[];
  get(userId: string, projectId: string): ProjectRow | null;
  /** Remembers that a folder was opened; one that is known keeps its id. */
  opened(row: ProjectRow): ProjectRow;
  /** False for an unknown project. */
  remove(userId: string, projectId: string): boolean;
}

export function createProjectStore(db: ControlDatabase): ProjectStore {
  const all = db.prepare<[string], ProjectRow>(
    'select project_id, user_id, dir, opened_at from project where user_id = ? order by opened_at desc, project_id desc',
  );
  const one = db.prepare<[string, string], ProjectRow>(
    'select project_id, user_id, dir, opened_at from project where user_id = ? and project_id = ?',
  );
  const put = db.prepare<ProjectRow, ProjectRow>(
    `insert into project (project_id, user_id, dir, opened_at) values (@project_id, @user_id, @dir, @opened_at)
     on conflict (user_id, dir) do update set opened_at = excluded.opened_at
     returning project_id, user_id, dir, opened_at`,
  );
  const drop = db.prepare('delete from project where user_id = ? and project_id = ?');
  return {
    list: (userId) => all.all(userId),
    get: (userId, projectId) => one.get(userId, projectId) ?? null,
    opened(row) {
      const kept = put.get(row);
      if (kept === undefined) throw new Error('an insert gives its row');
      return kept;
    },
    remove: (userId, projectId) => drop.run(userId, projectId).changes > 0,
  };
}
