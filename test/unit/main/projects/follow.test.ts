import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ProjectEvent } from '../../../../src/contract/project.ts';
import { openDataFolder } from '../../../../src/main/base/data-folder.ts';
import { Projects } from '../../../../src/main/projects/projects.ts';
import { openHostControl } from '../../../../src/main/store/control-database.ts';
import { createProjectStore } from '../../../../src/main/store/project-store.ts';
import { tempDir } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';

const unused = (): never => {
  throw new Error('nothing is published here');
};

/** A project of a user, on parts as a host has them. */
async function opened() {
  const data = openDataFolder(tempDir('projects-'));
  const db = openHostControl(data, Date.now);
  db.exec("insert into user (user_id, name, role, created_at) values ('user_1', 'u', 'owner', 0)");
  const reported: unknown[] = [];
  const projects = new Projects({
    store: createProjectStore(db),
    published: { publish: unused, versions: unused, codeDir: unused },
    dataDir: data.root,
    resourcesDir: '',
    setting: 'local',
    reachable: false,
    newId: () => 'prj_1',
    newRunId: unused,
    now: Date.now,
    report: (_, error) => void reported.push(error),
  });
  onTestFinished(async () => {
    await projects.close();
    db.close();
    expect(reported).toEqual([]);
  });
  const dir = tempDir('bot-');
  for (let count = 0; count < 50; count++) mkdirSync(join(dir, `folder-${count}`));
  const { project_id } = await projects.open('user_1', dir);
  return { projects, dir, id: project_id };
}

it('who follows a project hears of changes although another page has left while its folders were looked at', async () => {
  const { projects, dir, id } = await opened();
  const heard: ProjectEvent[] = [];
  const staying = projects.follow('user_1', id, 0, (event) => void heard.push(event));
  const leave = await projects.follow('user_1', id, 0, () => undefined);
  leave();
  const end = await staying;
  expect(heard).toEqual([{ state: { run: null, watching: true } }]);
  writeFileSync(join(dir, 'folder-7/bot.py'), '');
  await until('the change', () => heard.some((event) => 'changed' in event && event.changed[0] === 'folder-7/bot.py'));
  end();
});
