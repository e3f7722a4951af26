import { BotOptions, DeployRequest } from '../contract/bot.ts';
import type { FileProblem } from '../contract/custom-bot.ts';
import { invalid, PlatformError, type Problem } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { compileConfigSchema } from '../packaging/config-validator.ts';
import { fileProblem, positionAt } from '../packaging/file-problem.ts';
import { pointerPart, readJson } from '../packaging/parse-json-positions.ts';
import { isJsonObject } from '../shared/json.ts';
import { DEFAULT_TIMEZONE, parseSchedule } from '../shared/schedule.ts';
import { secretNameOf, valuesWhere } from '../shared/secret-references.ts';
import { issueText, unknownKeyHint } from '../shared/zod-issue-text.ts';
import type { Project } from './read-project.ts';

type Checked = Pick<Project, 'config' | 'schema'>;

/** The file of a project that describes a bot to create. */
export const INSTANCE_FILE = 'instance.json';

/** Keys of the request itself; in the flat form every other one belongs to the bot's configuration. */
const OWN_KEYS = new Set(['name', 'type', 'version', 'schedule', 'enabled', 'bot_id']);

/** The bot's configuration in an instance file, nested or flat. */
export function configOf(instance: Readonly<Record<string, unknown>>): unknown {
  const { config } = instance;
  return config ?? Object.fromEntries(Object.entries(instance).filter(([key]) => !OWN_KEYS.has(key)));
}

/**
 * The config of an instance of a project for a run on this machine, with the schema's defaults. Throws INVALID_CONFIG, also where it
 * refers to a secret: only a host opens one.
 */
export function effectiveConfig(
  project: Project,
  instance: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const config = configOf(instance);
  const [reference] = valuesWhere(config, (value) => secretNameOf(value) !== null);
  if (reference !== undefined) {
    const path = ['config', ...reference.path].join('.');
    const hint = 'Write a value for tests there, or deploy the bot to a host.';
    throw invalid('INVALID_CONFIG', [{ path, message: 'refers to a secret, which only a host opens', hint }]);
  }
  const { effective, problems } = compileConfigSchema(project.schema).validate(config);
  if (problems.length > 0) throw invalid('INVALID_CONFIG', problems);
  return effective;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function scheduleProblems(scheduled: boolean, schedule: unknown, timezone: unknown): Problem[] {
  if (!scheduled) {
    return Object.entries({ schedule, timezone }).flatMap(([path, value]) =>
      isGiven(value) ? [{ path, message: 'a realtime bot has no schedule', hint: `Leave ${path} out.` }] : [],
    );
  }
  if (isGiven(timezone) && typeof timezone !== 'string') {
    return [{ path: 'timezone', message: 'must be a string', hint: 'For example "Europe/Berlin".' }];
  }
  if (typeof schedule !== 'string') {
    const hint = 'For example "0 14 * * 1-5": 14:00 UTC on weekdays.';
    return [{ path: 'schedule', message: 'a scheduled bot needs a schedule', hint }];
  }
  try {
    parseSchedule(schedule, typeof timezone === 'string' ? timezone : DEFAULT_TIMEZONE);
    return [];
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const [, path = 'schedule', message = ''] = /^(schedule|timezone): (.*)$/s.exec(error.message) ?? [];
    return [{ path, message: message === '' ? error.message : message, hint: error.hint ?? '' }];
  }
}

/** Options that the host does not know, or not with the given value. */
function optionProblems(options: unknown): Problem[] {
  const parsed = BotOptions.safeParse(options ?? {}, { reportInput: true });
  if (parsed.success) return [];
  const known = Object.keys(BotOptions.shape);
  return parsed.error.issues.flatMap((issue): Problem[] => {
    const path = ['options', ...issue.path].join('.');
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issueText(issue) }];
    return issue.keys.map((key) => ({
      path: `options.${key}`,
      message: 'there is no such option',
      hint: unknownKeyHint(key, known),
    }));
  });
}

/** Unknown keys of the nested form, in which the bot's own settings belong inside config. */
function keyProblems(instance: Readonly<Record<string, unknown>>): Problem[] {
  const known = ['name', 'type', 'version', 'schedule', 'timezone', 'enabled', 'options', 'config'];
  const keys = Object.keys(instance).filter((key) => !known.includes(key) && key !== 'bot_id');
  return keys.map((key) => ({ path: key, message: 'unknown key', hint: unknownKeyHint(key, known) }));
}

/**
 * Problems for which the host would refuse an instance of this project: type, schedule, configuration, fields of the
 * request.
 */
function problemsOf(project: Checked, instance: Readonly<Record<string, unknown>>): Problem[] {
  const { type, name } = project.config;
  const parsed = DeployRequest.safeParse(instance, { reportInput: true });
  const fields = parsed.success
    ? []
    : parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issueText(issue) }));
  const wanted = `${type}/${name}`;
  const typeWrong = instance.type !== wanted && !fields.some(({ path }) => path === 'type');
  const hint = `Write "type": "${wanted}", as bot-config.yaml has it.`;
  const { problems } = compileConfigSchema(project.schema).validate(configOf(instance));
  return [
    ...fields,
    ...(typeWrong ? [{ path: 'type', message: `${String(instance.type)} is not this project`, hint }] : []),
    ...scheduleProblems(
      type === 'scheduled',
      instance.schedule,
      instance.config === undefined ? null : instance.timezone,
    ),
    ...(instance.config === undefined ? [] : [...keyProblems(instance), ...optionProblems(instance.options)]),
    ...problems,
  ];
}

/** The offset of the value at a path such as `config.levels[2]`, or of the nearest existing one around it. */
function offsetOf(values: ReadonlyMap<string, number>, path: string): number {
  const parts = path === '' ? [] : path.split(/[.[\]]+/).filter((part) => part !== '');
  for (let count = parts.length; count > 0; count--) {
    const pointer = parts.slice(0, count).map((part) => `/${pointerPart(part)}`);
    const found = values.get(pointer.join(''));
    if (found !== undefined) return found;
  }
  return values.get('') ?? 0;
}

/** Every problem of an instance file of a project, with its place. */
export function checkInstance(project: Checked, text: string): FileProblem[] {
  const plain = text.replace(/^\ufeff/, '');
  const read = readJson(plain, LIMITS.configDepth);
  if ('fault' in read) {
    const { offset, message, hint } = read.fault;
    return [fileProblem(INSTANCE_FILE, positionAt(plain, offset), `not valid JSON: ${message}`, hint)];
  }
  const { value, values } = read.source;
  if (!isJsonObject(value)) {
    return [
      fileProblem(INSTANCE_FILE, { line: 1, column: 1 }, 'holds no JSON object', 'Write {"name": …, "type": …}.'),
    ];
  }
  return problemsOf(project, value).map(({ path, message, hint }) => {
    const said = message.startsWith(path) ? message : `${path}: ${message}`;
    return fileProblem(INSTANCE_FILE, positionAt(plain, offsetOf(values, path)), said, hint ?? '');
  });
}
