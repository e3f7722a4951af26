import { BotOptions, type BotType, type DeployRequest, type UpdateRequest } from '../../../contract/bot.ts';
import type { JsonObject } from '../../../contract/common.ts';
import { invalid, type Problem } from '../../../contract/errors.ts';
import { didYouMean } from '../../../shared/did-you-mean.ts';
import { issueText, unknownKeyHint } from '../../../shared/zod-issue-text.ts';

/** A deployment request, the same for both forms. */
export interface InstanceRequest {
  readonly name: string;
  readonly type: BotType;
  readonly customBot: string;
  readonly version: string;
  readonly schedule: string | null;
  /** Null: none was given. */
  readonly timezone: string | null;
  readonly enabled: boolean;
  readonly options: BotOptions;
  readonly config: JsonObject;
  readonly flat: boolean;
}

const NESTED_KEYS = ['name', 'type', 'version', 'schedule', 'timezone', 'enabled', 'options', 'config', 'bot_id'];
const DEPLOY_KEYS = [...NESTED_KEYS, 'idempotency_key', 'guards_of'];
const UPDATE_KEYS = [...NESTED_KEYS, 'config_patch', 'if_generation'];
const KNOWN_KEYS = NESTED_KEYS.filter((name) => name !== 'bot_id');
const FLAT_KEYS = new Set([
  'name',
  'type',
  'version',
  'schedule',
  'enabled',
  'bot_id',
  'idempotency_key',
  'guards_of',
  'if_generation',
]);

function unknownKeys(request: JsonObject, keys: readonly string[]): Problem[] {
  return Object.keys(request)
    .filter((key) => !keys.includes(key))
    .map((key) => {
      const near = didYouMean(key, KNOWN_KEYS);
      return {
        path: key,
        message: `unknown key; the bot's own settings belong inside "config"`,
        hint: near === null ? `Known keys: ${KNOWN_KEYS.join(', ')}.` : `Did you mean "${near}"?`,
      };
    });
}

function readOptions(value: unknown): BotOptions {
  const parsed = BotOptions.safeParse(value ?? {}, { reportInput: true });
  if (parsed.success) return parsed.data;
  const known = Object.keys(BotOptions.shape);
  throw invalid(
    'INVALID_REQUEST',
    parsed.error.issues.flatMap((issue): Problem[] => {
      if (issue.code !== 'unrecognized_keys') {
        return [{ path: ['options', ...issue.path].join('.'), message: issueText(issue) }];
      }
      return issue.keys.map((key) => ({
        path: `options.${key}`,
        message: 'there is no such option',
        hint: unknownKeyHint(key, known),
      }));
    }),
  );
}

/** A time zone of the nested form. In the flat form the key is the bot's own setting, as that of `options` is. */
function readTimezone(value: unknown): string | null | undefined {
  if (value === undefined || value === null || typeof value === 'string') return value;
  throw invalid('INVALID_REQUEST', [
    { path: 'timezone', message: 'must be a string', hint: 'For example "Europe/Berlin".' },
  ]);
}

/** The config of a request in the flat form: every key that is not the request's own. */
function flatConfig(request: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(request).filter(([key]) => !FLAT_KEYS.has(key)));
}

/** Splits `<realtime|scheduled>/<custom bot>`; the contract's pattern has validated the text. */
export function splitType(type: string): { readonly type: BotType; readonly customBot: string } {
  const [half, customBot] = type.split('/');
  return { type: half === 'scheduled' ? 'scheduled' : 'realtime', customBot: customBot ?? '' };
}

/** Reads the nested form, which has a `config` key, or the flat form, which has none. */
export function readDeployRequest(request: DeployRequest): InstanceRequest {
  const flat = request.config === undefined;
  const problems = flat ? [] : unknownKeys(request, DEPLOY_KEYS);
  if (problems.length > 0) throw invalid('INVALID_REQUEST', problems);
  return {
    name: request.name,
    ...splitType(request.type),
    version: request.version,
    schedule: request.schedule ?? null,
    timezone: flat ? null : (readTimezone(request.timezone) ?? null),
    enabled: request.enabled ?? true,
    options: flat ? {} : readOptions(request.options),
    config: request.config ?? flatConfig(request),
    flat,
  };
}

/** Changes of an update; absent fields stay. */
export interface InstanceChange {
  readonly name?: string;
  readonly type?: string;
  readonly version?: string;
  readonly schedule?: string | null;
  /** Null: back to the default. */
  readonly timezone?: string | null;
  readonly enabled?: boolean;
  readonly options?: BotOptions;
  readonly config?: JsonObject;
  readonly configPatch?: JsonObject;
}

/**
 * Reads an update. Unknown keys are settings only for a bot deployed in the flat form: for any other a mistyped key
 * would replace its whole config.
 */
export function readUpdateRequest(request: UpdateRequest, flatBot: boolean): InstanceChange {
  const own = Object.keys(request).filter((key) => !UPDATE_KEYS.includes(key));
  const flat = flatBot && request.config === undefined && request.config_patch === undefined && own.length > 0;
  const problems = flat ? [] : unknownKeys(request, UPDATE_KEYS);
  if (request.config !== undefined && request.config_patch !== undefined) {
    problems.push({
      path: 'config_patch',
      message: 'config and config_patch exclude each other',
      hint: 'Give one of the two.',
    });
  }
  if (problems.length > 0) throw invalid('INVALID_REQUEST', problems);
  const config = flat ? flatConfig(request) : request.config;
  const timezone = flat ? undefined : readTimezone(request.timezone);
  return {
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(request.type === undefined ? {} : { type: request.type }),
    ...(request.version === undefined ? {} : { version: request.version }),
    ...(request.schedule === undefined ? {} : { schedule: request.schedule }),
    ...(flat || timezone === undefined ? {} : { timezone }),
    ...(request.enabled === undefined ? {} : { enabled: request.enabled }),
    ...(flat || request.options === undefined ? {} : { options: readOptions(request.options) }),
    ...(config === undefined ? {} : { config }),
    ...(request.config_patch === undefined ? {} : { configPatch: request.config_patch }),
  };
}
