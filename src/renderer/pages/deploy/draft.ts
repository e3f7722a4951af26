import type { Bot, BotType } from '../../../contract/bot.ts';
import { ENGINE_NAMES, type EngineOption } from '../../../contract/engine-choices.ts';
import type { EngineInfo } from '../../../contract/host.ts';
import { OTHERS_ISOLATE_LESS } from '../../../shared/allowed-engines.ts';
import { describeCron } from '../../../shared/cron-describe.ts';
import { isJsonObject } from '../../../shared/json.ts';
import type { Schema } from '../../../shared/json-schema.ts';
import { DEFAULT_TIMEZONE, nextDue, parseSchedule } from '../../../shared/schedule.ts';
import { visibleName } from '../../../shared/visible-name.ts';
import { withoutSecrets } from '../../components/schema-form/hide-and-restore-secrets.ts';

/** A deployment as far as the form is filled in. */
export interface Draft {
  readonly name: string;
  readonly config: Record<string, unknown>;
  readonly schedule: string;
  readonly timezone: string;
  readonly options: Record<string, unknown>;
  readonly enabled: boolean;
}

/** The initial values of a deployment; null for defaults. */
export type Start = { readonly [K in keyof Draft]: Draft[K] | null };

/** Returns initial values with a config and nothing else. */
export function startWith(config: Draft['config']): Start {
  return { name: null, config, schedule: null, timezone: null, options: null, enabled: null };
}

/**
 * Returns initial values of a duplicate: all of the bot but its secrets, which no page can read, and switched off, so that two
 * bots never trade with one account because of a press on Deploy.
 */
export function startLike(
  schema: Schema,
  bot: Pick<Bot, 'name' | 'config' | 'schedule' | 'timezone' | 'options'>,
): Start {
  const { name, config, schedule, timezone, options } = bot;
  return {
    name: `${name} copy`,
    config: withoutSecrets(schema, config),
    schedule,
    timezone,
    options: { ...options },
    enabled: false,
  };
}

/** The custom bot to deploy. */
export interface Subject {
  readonly name: string;
  readonly version: string;
  readonly type: BotType;
}

/** A deployment request; defaults are left out. */
export type Request = {
  readonly name: string;
  readonly type: string;
  readonly version: string;
  readonly schedule?: string;
  readonly timezone?: string;
  readonly enabled?: false;
  readonly options?: Record<string, unknown>;
  readonly config: Record<string, unknown>;
  readonly guards_of?: string;
};

/** The request of a deployment; `like` is the bot that it duplicates, whose guards it gets. */
export function requestOf(subject: Subject, draft: Draft, like: string | null = null): Request {
  const timezone = draft.timezone === DEFAULT_TIMEZONE ? {} : { timezone: draft.timezone };
  return {
    name: draft.name,
    type: `${subject.type}/${subject.name}`,
    version: subject.version,
    ...(subject.type === 'scheduled' ? { schedule: draft.schedule, ...timezone } : {}),
    ...(draft.enabled ? {} : { enabled: false as const }),
    ...(Object.keys(draft.options).length === 0 ? {} : { options: draft.options }),
    config: draft.config,
    ...(like === null ? {} : { guards_of: like }),
  };
}

/** File in which the command finds the request. */
export const REQUEST_FILE = 'bot.json';

/** Returns a request as a file holds it: characters that turn text around are written out, so that it reads as it runs. */
export function requestText(request: Request): string {
  return JSON.stringify(request, null, 2).split('\n').map(visibleName).join('\n');
}

/** `name`, or `name 2` where a bot has that name. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count++) {
    const next = count === 1 ? name : `${name} ${count}`;
    if (!taken.has(next)) return next;
  }
}

/** A schedule in words with its next times, or its problem. */
export type Plan =
  | { readonly words: string; readonly times: readonly number[] }
  | { readonly problem: string; readonly hint: string | null; readonly field: 'schedule' | 'timezone' };

function problemOf(thrown: unknown): Plan {
  const details: unknown = isJsonObject(thrown) ? thrown.details : null;
  const first: unknown = Array.isArray(details) ? details[0] : null;
  if (isJsonObject(first) && typeof first.message === 'string') {
    const field = first.path === 'timezone' ? 'timezone' : 'schedule';
    return { problem: first.message, hint: typeof first.hint === 'string' ? first.hint : null, field };
  }
  return { problem: thrown instanceof Error ? thrown.message : String(thrown), hint: null, field: 'schedule' };
}

export function planOf(schedule: string, timezone: string, now: number, count = 5): Plan {
  try {
    const parsed = parseSchedule(schedule, timezone);
    const times: number[] = [];
    for (let at = nextDue(parsed, now); at !== null && times.length < count; at = nextDue(parsed, at)) times.push(at);
    return { words: describeCron(schedule, timezone), times };
  } catch (thrown) {
    return problemOf(thrown);
  }
}

const number = (title: string, description: string, limits: Schema): Schema => ({ title, description, ...limits });

/** The engines of the host, as far as a deployment depends on them. */
export interface OfferedEngines {
  /** Empty while the host is unknown. */
  readonly engines: readonly Pick<EngineInfo, 'name' | 'summary' | 'options'>[];
  /** Names of the engines that a new bot may have; undefined while unknown. */
  readonly allowed: readonly string[] | undefined;
}

/** Options without an engine that the host would refuse. */
export function withAllowedEngine(options: Draft['options'], allowed: readonly string[]): Draft['options'] {
  const { engine, ...rest } = options;
  return typeof engine === 'string' && !allowed.includes(engine) ? rest : options;
}

/** The options of a deployment as a schema, as far as they mean something for this bot on this engine. */
export function optionsSchema(type: BotType, engine: string, { engines, allowed }: OfferedEngines): Schema {
  const names = engines.length === 0 ? ENGINE_NAMES : engines.map(({ name }) => name);
  const offered = names.filter((name) => allowed?.includes(name) !== false);
  const holds = engines.find(({ name }) => name === engine)?.options ?? [];
  const limits = {
    memory_mb: number('Memory', 'Megabytes; the bot is ended when it takes more.', {
      type: 'integer',
      minimum: 16,
      maximum: 1_048_576,
    }),
    max_processes: number('Processes', 'How many processes and threads it may have.', {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
    }),
    max_open_files: number('Open files', 'How many files and connections it may have open.', {
      type: 'integer',
      minimum: 16,
      maximum: 1_048_576,
    }),
  };
  const container: Record<EngineOption, Schema> = {
    cpus: number('Processors', 'For example 0.5 or 2.', { type: 'number', minimum: 0.05, maximum: 256 }),
    tmp_mb: number('Size of /tmp', 'Megabytes.', { type: 'integer', minimum: 1, maximum: 65_536 }),
    network: {
      title: 'Network',
      description: 'none: the bot reaches nothing at all.',
      enum: ['bridge', 'none'],
      default: 'bridge',
    },
  };
  const runs = {
    timeout_sec: number('Time-out', 'Seconds after which a run is ended.', {
      type: 'integer',
      minimum: 1,
      maximum: 604_800,
      default: 3600,
    }),
    overlap: {
      title: 'While a run goes on',
      description: 'A run that is due meanwhile is left out, or runs beside it.',
      enum: ['skip', 'allow'],
      default: 'skip',
    },
    catch_up: {
      title: 'Missed while the host was down',
      description: 'Runs once when the host is back, or not at all.',
      enum: ['run_once', 'skip'],
      default: 'run_once',
    },
  };
  return {
    type: 'object',
    properties: {
      engine: {
        title: 'Engine',
        description:
          offered.length === names.length
            ? engines.map(({ name, summary }) => `${name}: ${summary}.`).join(' ')
            : OTHERS_ISOLATE_LESS,
        enum: offered,
      },
      ...limits,
      ...Object.fromEntries(holds.map((name) => [name, container[name]])),
      ...(type === 'scheduled' ? runs : {}),
    },
    additionalProperties: false,
  };
}
