import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ProjectEvent } from '../../../../../src/contract/project.ts';
import { projectsHere } from '../../../../support/projects-here.ts';
import { tempDir } from '../../../../support/temp.ts';
import { until } from '../../../../support/until.ts';

it('who follows a project hears of changes although another page has left while its folders were looked at', async () => {
  const projects = projectsHere();
  const dir = tempDir('bot-');
  for (let count = 0; count < 50; count++) mkdirSync(join(dir, `folder-${count}`));
  const { project_id: id } = await projects.open('user_1', dir);
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
