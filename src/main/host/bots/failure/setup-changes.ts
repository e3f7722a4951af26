import type { BotChange, BotOptions } from '../../../../contract/bot.ts';
import type { JsonObject } from '../../../../contract/common.ts';
import { isJsonObject, ownValue } from '../../../../shared/json.ts';
import { createMasker } from '../../logs/mask/masker.ts';

/** Setup of an instance before or after an update. Configs are effective ones. */
export interface Setup {
  readonly version: string;
  readonly runtime: string;
  readonly engine: string;
  readonly schedule: string | null;
  readonly timezone: string;
  readonly options: BotOptions;
  readonly config: JsonObject;
  /** The config in its public form, with secrets hidden. */
  readonly shown: JsonObject;
  /** Secret values of the config: a name of a setting may hold one. */
  readonly secrets: readonly string[];
}

const MOST_KEYS = 10;
const PATH_CHARS = 100;

interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Collects the differences of two values, down to the members of objects; a list is one value. */
function differences(before: unknown, after: unknown, path: string, out: Difference[]): void {
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  if (!isJsonObject(before) || !isJsonObject(after)) {
    out.push({ path, before, after });
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    differences(ownValue(before, key), ownValue(after, key), path === '' ? key : `${path}.${key}`, out);
  }
}

function valueAt(shown: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (isJsonObject(at) ? ownValue(at, key) : undefined), shown);
}

/** A number or a switch tells nothing secret; every other value is left out. */
function plain(value: unknown): string | null {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function told(name: string, before: unknown, after: unknown): string {
  const [from, to] = [plain(before), plain(after)];
  if (before === undefined) return to === null ? `${name} added` : `${name} added (${to})`;
  if (after === undefined) return from === null ? `${name} removed` : `${name} removed (was ${from})`;
  return from === null || to === null ? `${name} changed` : `${name} ${from} → ${to}`;
}

function listed(parts: readonly string[]): string {
  const more = parts.length - MOST_KEYS;
  return parts.slice(0, MOST_KEYS).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function configMessage(before: Setup, after: Setup): string | null {
  const found: Difference[] = [];
  differences(before.config, after.config, '', found);
  if (found.length === 0) return null;
  const masker = createMasker([...new Set([...before.secrets, ...after.secrets])]);
  return listed(
    found.map(({ path, before: from, after: to }) => {
      // A value that is hidden on read surfaces differs from its hidden form: then only its key is named.
      const open = valueAt(before.shown, path) === from && valueAt(after.shown, path) === to;
      const name = masker.maskText(path).slice(0, PATH_CHARS);
      return open ? told(name, from, to) : told(name, from === undefined ? from : null, to === undefined ? to : null);
    }),
  );
}

function optionsMessage(before: BotOptions, after: BotOptions): string | null {
  const found: Difference[] = [];
  differences(before, after, '', found);
  return found.length === 0 ? null : listed(found.map((one) => told(one.path, one.before, one.after)));
}

/**
 * The changes of an update, one entry per kind; never a secret value, and of a config only keys, numbers and switches.
 */
export function setupChanges(before: Setup, after: Setup): BotChange[] {
  const changes: BotChange[] = [];
  if (before.version !== after.version) {
    changes.push({ what: 'version', message: `Version ${before.version} → ${after.version}` });
  }
  if (before.runtime !== after.runtime) {
    changes.push({ what: 'engine', message: `Runtime ${before.runtime} → ${after.runtime}` });
  }
  if (before.engine !== after.engine) {
    changes.push({ what: 'engine', message: `Engine ${before.engine} → ${after.engine}` });
  }
  const config = configMessage(before, after);
  if (config !== null) changes.push({ what: 'config', message: `Config: ${config}` });
  if (before.schedule !== after.schedule) {
    changes.push({ what: 'schedule', message: `Schedule ${before.schedule ?? 'none'} → ${after.schedule ?? 'none'}` });
  }
  if (before.timezone !== after.timezone) {
    changes.push({ what: 'schedule', message: `Time zone ${before.timezone} → ${after.timezone}` });
  }
  const options = optionsMessage(before.options, after.options);
  if (options !== null) changes.push({ what: 'options', message: `Options: ${options}` });
  return changes;
}
