import { z } from 'zod';
import { CustomBotVersion, FileProblem } from './custom-bot.ts';
import { LIMITS } from './limits.ts';
import { callOnProject, type Operation, streamOnProject } from './operation.ts';
import {
  FileVersion,
  Overlay,
  Project,
  ProjectChange,
  ProjectCheck,
  ProjectEntry,
  ProjectEvent,
  ProjectFile,
  ProjectInstance,
  ProjectMatch,
  ProjectPath,
  ProjectRun,
  Template,
} from './project.ts';

const project_id = z.string().min(1).max(64);
const ofProject = z.strictObject({ project_id });
const folder = z
  .string()
  .min(1)
  .max(4096)
  .meta({ description: 'Absolute path of a folder on the machine of the host' });
const list = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) });
const done = z.object({ ok: z.literal(true) });
const PROJECT = '/api/v1/projects/{project_id}';
const NO_PROJECT = ['PROJECT_NOT_FOUND'] as const;
const NO_FILE = ['PROJECT_NOT_FOUND', 'FILE_NOT_FOUND'] as const;

/**
 * Projects in folders of the host's machine, as the editor works on them. All of them are for the owner of the host at a
 * page or terminal of this machine: no API key reaches them, because they read and write files and run programs as the
 * user of the host.
 */
export const PROJECT_OPERATIONS = {
  'projects.list': callOnProject(
    ['GET', '/api/v1/projects'],
    'owner',
    'Projects that were opened, the last one first',
    z.strictObject({}),
    list(Project),
  ),
  'projects.open': callOnProject(
    ['POST', '/api/v1/projects'],
    'owner',
    'Open a folder as a project; it is remembered',
    z.strictObject({ dir: folder }),
    Project,
    { target: 'dir', audit: ['opened', 'open', '[project {dir}|a project]'] },
  ),
  'projects.create': callOnProject(
    ['POST', '/api/v1/projects/create'],
    'owner',
    'Make a project from a template in a new or empty folder, and open it',
    z.strictObject({ dir: folder, template: Template, name: z.string().max(100).optional() }),
    Project,
    { status: 201, target: 'dir', audit: ['made', 'make', '[project {dir}|a project]'] },
  ),
  'projects.copy_version': callOnProject(
    ['POST', '/api/v1/projects/copy-version'],
    'owner',
    'Copy the files of a published version into a new or empty folder, and open it as a project',
    z.strictObject({ dir: folder, name: z.string(), version: z.string() }),
    Project,
    {
      status: 201,
      target: 'dir',
      errors: ['CUSTOM_BOT_NOT_FOUND'],
      audit: ['made', 'make', '[project {dir}|a project]'],
    },
  ),
  'projects.forget': callOnProject(
    ['DELETE', PROJECT],
    'owner',
    'Take a project off the list; its folder stays as it is',
    ofProject,
    done,
    { errors: NO_PROJECT, audit: ['took', 'take', '[project {project}|a project] off the list'] },
  ),
  'projects.tree': callOnProject(
    ['GET', `${PROJECT}/tree`],
    'owner',
    'Files and folders, without those that tools make (node_modules, .git and the like)',
    ofProject,
    z.object({
      entries: z.array(ProjectEntry),
      truncated: z.boolean(),
      entry: z.string().nullable().meta({
        description: 'Path of the file to show first: the program, or bot-config.yaml; null: there is neither',
      }),
    }),
    { errors: NO_PROJECT },
  ),
  'projects.read': callOnProject(
    ['GET', `${PROJECT}/file`],
    'owner',
    'A file with the version of its content',
    z.strictObject({ project_id, path: ProjectPath }),
    ProjectFile,
    { errors: NO_FILE },
  ),
  'projects.write': callOnProject(
    ['PUT', `${PROJECT}/file`],
    'owner',
    'Replace a file as a whole, or make one; refused when it is not as the writer has seen it',
    z.strictObject({
      project_id,
      path: ProjectPath,
      content: z.string(),
      version: FileVersion.nullable().meta({
        description: 'What the writer has read; null: there is no such file yet',
      }),
    }),
    ProjectFile,
    {
      errors: [...NO_FILE, 'FILE_CHANGED', 'NAME_TAKEN', 'TOO_LARGE', 'STORAGE_FULL'],
      audit: ['saved', 'save', '[{path}|a file][ in project {project}]'],
    },
  ),
  'projects.create_folder': callOnProject(
    ['POST', `${PROJECT}/folders`],
    'owner',
    'Make a folder',
    z.strictObject({ project_id, path: ProjectPath }),
    done,
    {
      status: 201,
      errors: [...NO_FILE, 'NAME_TAKEN'],
      audit: ['made', 'make', '[folder {path}|a folder][ in project {project}]'],
    },
  ),
  'projects.rename': callOnProject(
    ['POST', `${PROJECT}/rename`],
    'owner',
    'Give a file or folder another path in the project; nothing is overwritten',
    z.strictObject({ project_id, from: ProjectPath, to: ProjectPath }),
    done,
    {
      errors: [...NO_FILE, 'NAME_TAKEN'],
      audit: ['renamed', 'rename', '[{from}|a file][ to {to}][ in project {project}]'],
    },
  ),
  'projects.delete': callOnProject(
    ['DELETE', `${PROJECT}/file`],
    'owner',
    'Remove a file or folder from the project; it is kept in .platform/trash',
    z.strictObject({ project_id, path: ProjectPath }),
    z.object({ kept: z.string().meta({ description: 'Where it is now: rename it back to undo' }) }),
    { errors: NO_FILE, audit: ['removed', 'remove', '[{path}|a file][ from project {project}]'] },
  ),
  'projects.search': callOnProject(
    ['POST', `${PROJECT}/search`],
    'owner',
    'Find a text in the files of a project',
    z.strictObject({
      project_id,
      text: z.string().min(1).max(500),
      match_case: z.boolean().optional(),
      limit: z.number().int().min(1).max(LIMITS.projectMatches).optional(),
    }),
    z.object({ matches: z.array(ProjectMatch), truncated: z.boolean() }),
    { effect: 'read', errors: NO_PROJECT },
  ),
  'projects.check': callOnProject(
    ['POST', `${PROJECT}/check`],
    'owner',
    'Every problem of a project, with texts that are not saved in place of those on the disk',
    z.strictObject({
      project_id,
      overlays: z.array(Overlay).max(100).optional(),
      open: z.array(ProjectPath).max(100).optional().meta({
        description:
          'Files that are shown: programs among them are read for mistakes of syntax, where their language has a check',
      }),
    }),
    ProjectCheck,
    { effect: 'read', cost: 'heavy', errors: NO_PROJECT },
  ),
  'projects.run': callOnProject(
    ['POST', `${PROJECT}/run`],
    'owner',
    'Run a project here, without publishing it, with the config of its instance.json',
    ofProject,
    ProjectRun,
    {
      status: 201,
      errors: [
        'PROJECT_NOT_FOUND',
        'BOT_RUNNING',
        'INVALID_PACKAGE',
        'INVALID_CONFIG',
        'ISOLATION_REQUIRED',
        'INTERPRETER_NOT_ALLOWED',
        'INTERPRETER_UNUSABLE',
      ],
      audit: ['ran', 'run', '[project {project}|a project]'],
    },
  ),
  'projects.stop': callOnProject(['POST', `${PROJECT}/stop`], 'owner', 'Stop the run of a project', ofProject, done, {
    errors: ['PROJECT_NOT_FOUND', 'BOT_NOT_RUNNING'],
    audit: ['stopped', 'stop', 'the run of [project {project}|a project]'],
  }),
  'projects.publish': callOnProject(
    ['POST', `${PROJECT}/publish`],
    'owner',
    'Check, pack and publish a project as a version; projects.stream tells how far it is',
    ofProject,
    z.object({ custom_bot: CustomBotVersion, created: z.boolean(), warnings: z.array(FileProblem) }),
    {
      status: 201,
      errors: [
        'PROJECT_NOT_FOUND',
        'BOT_RUNNING',
        'INVALID_PACKAGE',
        'VERSION_EXISTS',
        'TOO_LARGE',
        'ISOLATION_REQUIRED',
      ],
      audit: ['published', 'publish', '[project {project}|a project][ as {name}][ {version}]'],
    },
  ),
  'projects.changes': callOnProject(
    ['GET', `${PROJECT}/changes`],
    'owner',
    'What differs between the files of a project and its highest published version',
    ofProject,
    z.object({
      name: z.string(),
      version: z.string().nullable().meta({ description: 'null: nothing is published under this name' }),
      items: z.array(ProjectChange),
    }),
    { errors: ['PROJECT_NOT_FOUND', 'INVALID_PACKAGE'] },
  ),
  'projects.instance': callOnProject(
    ['GET', `${PROJECT}/instance`],
    'owner',
    'What the saved instance.json of a project says about a bot to create',
    ofProject,
    z.object({ instance: ProjectInstance.nullable().meta({ description: 'null: there is no instance.json' }) }),
    { errors: ['PROJECT_NOT_FOUND', 'INVALID_CONFIG'] },
  ),
  'projects.published_file': callOnProject(
    ['GET', `${PROJECT}/published-file`],
    'owner',
    'A file of a published version of the project',
    z.strictObject({ project_id, version: z.string().max(60), path: ProjectPath }),
    ProjectFile,
    { errors: ['PROJECT_NOT_FOUND', 'FILE_NOT_FOUND', 'CUSTOM_BOT_NOT_FOUND', 'INVALID_PACKAGE'] },
  ),
  'projects.stream': streamOnProject(
    ['GET', `${PROJECT}/events`],
    'owner',
    'Changes of files, output of the run and progress of publishing, live',
    z.strictObject({ project_id, after: z.number().int().optional() }),
    ProjectEvent,
    { errors: NO_PROJECT },
  ),
} as const satisfies Record<string, Operation>;
