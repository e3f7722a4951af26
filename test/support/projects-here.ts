import { onTestFinished } from 'vitest';
import { openHostControl } from '../../src/main/host/control/control-database.ts';
import { createProjectStore } from '../../src/main/host/control/project-store.ts';
import { Projects } from '../../src/main/host/projects/projects.ts';
import { openDataFolder } from '../../src/node/data-folder.ts';
import { ROOT } from './platform.ts';
import { tempDir } from './temp.ts';

const unused = (): never => {
  throw new Error('nothing is published here');
};

/** Projects of `user_1`, on parts as a host has them; the test fails when they report anything. */
export function projectsHere(): Projects {
  const data = openDataFolder(tempDir('projects-'));
  const db = openHostControl(data, Date.now);
  db.exec("insert into user (user_id, name, role, created_at) values ('user_1', 'u', 'owner', 0)");
  const reported: unknown[] = [];
  const projects = new Projects({
    store: createProjectStore(db),
    published: { publish: unused, versions: unused, codeDir: unused },
    dataDir: data.root,
    resourcesDir: `${ROOT}/resources`,
    setting: 'local',
    reachable: false,
    checkRun: () => undefined,
    checkInstall: () => undefined,
    interpreter: unused,
    newId: () => 'prj_1',
    newRunId: unused,
    now: Date.now,
    report: (_, error) => void reported.push(error),
  });
  onTestFinished(async () => {
    await projects.close();
    db.close();
    if (reported.length > 0) throw new Error(`projects reported: ${reported.join(', ')}`);
  });
  return projects;
}
