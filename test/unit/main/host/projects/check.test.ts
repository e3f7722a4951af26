import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { checkProject as checkEdited } from '../../../../../src/main/host/projects/check.ts';
import { ConfinedFolder } from '../../../../../src/main/host/projects/confined.ts';
import { createProject } from '../../../../../src/project/create-project.ts';
import { ProgramSyntax } from '../../../../../src/project/program-syntax.ts';
import { ROOT } from '../../../../support/platform.ts';
import { tempDir } from '../../../../support/temp.ts';

const syntax = new ProgramSyntax();

const checkProject = (folder: ConfinedFolder, overlays: { path: string; content: string }[], open: string[] = []) =>
  checkEdited(folder, { overlays, open }, syntax);

function newProject(): { dir: string; folder: ConfinedFolder } {
  const dir = join(tempDir(), 'my-bot');
  createProject({ dir, template: 'python', resourcesDir: join(ROOT, 'resources'), nameHint: '' });
  return { dir, folder: new ConfinedFolder(dir) };
}

it('finds nothing in a new project', async () => {
  expect(await checkProject(newProject().folder, [])).toEqual({ valid: true, problems: [], warnings: [] });
});

it('sees what is typed and not what is saved, with its place and what to do', async () => {
  const { dir, folder } = newProject();
  const yaml = readFileSync(join(dir, 'bot-config.yaml'), 'utf8');
  const broken = yaml.replace(/^type: .*$/m, 'type: realtme');
  expect(broken).not.toBe(yaml);
  const typed = await checkProject(folder, [{ path: 'bot-config.yaml', content: broken }]);
  const line = broken.split('\n').findIndex((text) => text.startsWith('type:')) + 1;
  expect(typed.problems).toEqual([
    {
      file: 'bot-config.yaml',
      line,
      column: 7,
      message: expect.stringContaining('realtme'),
      hint: 'Did you mean realtime?',
    },
  ]);
  // The other way round: a fault on the disk that the editor has corrected is none.
  writeFileSync(join(dir, 'bot-config.yaml'), broken);
  expect((await checkProject(folder, [{ path: 'bot-config.yaml', content: yaml }])).valid).toBe(true);
  expect((await checkProject(folder, [])).valid).toBe(false);
});

it('tells the problems of the schema also while bot-config.yaml is being typed, and of the instance when both are whole', async () => {
  const { folder } = newProject();
  const schema = { path: 'bot-schema.json', content: '{"type": "object", "properties": {"a": {"type": "integr"}}}' };
  const both = await checkProject(folder, [{ path: 'bot-config.yaml', content: 'name: x' }, schema]);
  expect(new Set(both.problems.map(({ file }) => file))).toEqual(new Set(['bot-config.yaml', 'bot-schema.json']));
  const instance = { path: 'instance.json', content: '{"name": "x", "type": "realtime/other", "version": "0.1.0"}' };
  expect((await checkProject(folder, [instance])).problems.map(({ file }) => file)).toContain('instance.json');
});

it('takes a file that is only in the editor for there, and a link for missing', async () => {
  const { dir, folder } = newProject();
  const yaml = readFileSync(join(dir, 'bot-config.yaml'), 'utf8').replace('bot-schema.json', 'other.json');
  const config = { path: 'bot-config.yaml', content: yaml };
  const elsewhere = join(tempDir(), 'schema.json');
  cpSync(join(dir, 'bot-schema.json'), elsewhere);
  symlinkSync(elsewhere, join(dir, 'other.json'));
  expect((await checkProject(folder, [config])).problems.map(({ message }) => message)).toEqual([
    'schema.bot: other.json does not exist',
  ]);
  const typed = {
    path: 'other.json',
    content: '{"type": "object", "properties": {}, "title": "t", "description": "d"}',
  };
  const checked = await checkProject(folder, [config, typed]);
  expect(checked.problems.filter(({ file }) => file !== 'instance.json')).toEqual([]);
});

it('finds what publishing refuses: a readme that is not there, unless it is only in the editor', async () => {
  const { dir, folder } = newProject();
  const config = {
    path: 'bot-config.yaml',
    content: `${readFileSync(join(dir, 'bot-config.yaml'), 'utf8').replace(/^readme: .*$/m, '')}\nreadme: docs/GUIDE.md\n`,
  };
  expect((await checkProject(folder, [config])).problems).toMatchObject([
    { file: 'bot-config.yaml', message: 'readme names docs/GUIDE.md, which is not in the package' },
  ]);
  const typed = { path: 'docs/GUIDE.md', content: '# Guide' };
  expect((await checkProject(folder, [config, typed])).problems).toEqual([]);
});

it('finds that the entry of a compiled bot is no program', async () => {
  const { dir, folder } = newProject();
  const yaml = readFileSync(join(dir, 'bot-config.yaml'), 'utf8');
  const config = { path: 'bot-config.yaml', content: yaml.replace(/^runtime: .*$/m, 'runtime: gcc13') };
  expect((await checkProject(folder, [config])).problems).toMatchObject([
    { file: 'bot-config.yaml', message: expect.stringContaining('bot.py is a text file') },
    { file: 'bot-config.yaml', message: expect.stringContaining('query.py is a text file') },
  ]);
  expect((await checkProject(folder, [{ path: 'bot-config.yaml', content: yaml }])).valid).toBe(true);
});

it('tells mistakes of syntax in programs that are open or started, saved or not, and runs nothing of them', async () => {
  const { dir, folder } = newProject();
  const ran = join(dir, 'ran');
  const wrong = `open(${JSON.stringify(ran)}, 'w')\nrocket = '🚀'; x = = 1\n`;
  const typed = await checkProject(folder, [{ path: 'bot.py', content: wrong }]);
  const [problem] = typed.problems;
  expect(problem).toMatchObject({ file: 'bot.py', line: 2, message: 'Python: invalid syntax' });
  // The rocket is one letter to Python and two units to an editor.
  expect(problem?.column).toBe((wrong.split('\n')[1] ?? '').indexOf('= 1') + 1);
  writeFileSync(join(dir, 'other.py'), 'return 1\n');
  expect((await checkProject(folder, [])).problems).toEqual([]);
  expect((await checkProject(folder, [], ['other.py'])).problems).toMatchObject([
    { file: 'other.py', line: 1, message: "Python: 'return' outside function" },
  ]);
  expect(existsSync(ran)).toBe(false);
});

it('says nothing about programs of Python on a machine without it', async ({ onTestFinished }) => {
  vi.stubEnv('PATH', tempDir());
  onTestFinished(() => void vi.unstubAllEnvs());
  const { folder } = newProject();
  const checked = await checkProject(folder, [{ path: 'bot.py', content: 'x = = 3\n' }]);
  expect(checked.problems).toEqual([]);
});
