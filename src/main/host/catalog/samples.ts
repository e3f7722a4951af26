import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BotConfig, CustomBotVersion, Runtime } from '../../../contract/custom-bot.ts';
import { PlatformError } from '../../../contract/errors.ts';
import type { Sample } from '../../../contract/sample-bot.ts';
import { BOT_CONFIG_FILE, readBotConfig } from '../../../packaging/bot-config.ts';
import { packFolder } from '../../../packaging/pack.ts';
import { canonicalRuntime } from '../../../runtimes/registry.ts';
import { didYouMean } from '../../../shared/did-you-mean.ts';
import { isJsonObject, ownValue } from '../../../shared/json.ts';
import { parseEntrypoint } from '../../../shared/parse-entrypoint.ts';
import type { Catalog } from './catalog.ts';

/** This sample runs wherever the host does, because the host brings its own Node. */
const RECOMMENDED = 'node-sma-crossover';

export interface SamplesOptions {
  /** Folder with one project per sample. */
  readonly dir: string;
  readonly catalog: Pick<Catalog, 'publish'>;
  /** Returns the reason for which bots of a runtime cannot run here; null when they can. */
  readonly obstacle: (runtime: string) => Promise<Sample['problem']>;
  /** Address of the offline price feed of this host. */
  readonly feedUrl: () => string;
  readonly now: () => number;
}

/** A request to deploy a sample; all samples take their prices from `base_url`. */
export interface SampleInstance {
  readonly name: string;
  readonly type: string;
  readonly version: string;
  readonly schedule?: string;
  readonly config: Record<string, unknown>;
}

interface Project {
  readonly dir: string;
  readonly config: BotConfig;
  readonly runtime: Runtime;
}

/** The sample bots of the product. */
export interface Samples {
  list(): Promise<Sample[]>;
  /** Publishes a sample for a user. Throws CUSTOM_BOT_NOT_FOUND, INVALID_PACKAGE or VERSION_EXISTS. */
  publish(
    userId: string,
    name: string,
  ): Promise<{ readonly custom_bot: CustomBotVersion; readonly created: boolean; readonly instance: SampleInstance }>;
}

const entryFiles = ({ entrypoints: { bot, query } }: BotConfig): string[] =>
  [bot, query].flatMap((entry) => (entry === undefined ? [] : [parseEntrypoint(entry).file]));

function isInstance(value: unknown): value is SampleInstance {
  if (!isJsonObject(value) || !isJsonObject(ownValue(value, 'config'))) return false;
  return ['name', 'type', 'version'].every((key) => typeof ownValue(value, key) === 'string');
}

async function readSample(dir: string): Promise<Project | null> {
  const file = join(dir, BOT_CONFIG_FILE);
  if (!existsSync(file)) return null;
  const { config } = readBotConfig(await readFile(file, 'utf8'));
  const runtime = config === undefined ? null : canonicalRuntime(config.runtime);
  return config === undefined || runtime === null ? null : { dir, config, runtime };
}

function unbuilt({ dir, config }: Project): Sample['problem'] {
  const missing = entryFiles(config).find((file) => !existsSync(join(dir, file)));
  if (missing === undefined) return null;
  return {
    message: `It must be compiled first: ${missing} is not there`,
    hint: `Run \`make\` in resources/examples/${basename(dir)} of the program, on the machine of the host.`,
  };
}

/** The samples in a folder of the product. */
export function createSamples({ dir, catalog, obstacle, feedUrl, now }: SamplesOptions): Samples {
  const projects = async (): Promise<Project[]> => {
    const names = (await readdir(dir, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    const read = await Promise.all(names.map(({ name }) => readSample(join(dir, name))));
    return read.filter((one) => one !== null);
  };
  const toSample = async (project: Project): Promise<Sample> => {
    const { name, version, type, description = '' } = project.config;
    const problem = unbuilt(project) ?? (await obstacle(project.runtime));
    return { name, version, type, runtime: project.runtime, description, recommended: name === RECOMMENDED, problem };
  };
  const rank = (one: Sample): number => (one.recommended ? 0 : one.problem === null ? 1 : 2);
  return {
    async list() {
      const samples = await Promise.all((await projects()).map(toSample));
      return samples.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
    },
    async publish(userId, name) {
      const all = await projects();
      const project = all.find(({ config }) => config.name === name);
      if (project === undefined) {
        const names = all.map(({ config }) => config.name);
        const meant = didYouMean(name, names);
        const hint = `${meant === null ? '' : `Did you mean ${meant}? `}The samples are ${names.join(', ')}.`;
        throw new PlatformError('CUSTOM_BOT_NOT_FOUND', `There is no sample "${name}"`, { hint });
      }
      const { config, dir: folder } = project;
      const instance: unknown = JSON.parse(await readFile(join(folder, 'instance.json'), 'utf8'));
      if (!isInstance(instance)) throw new Error(`${folder}/instance.json is no deployment`);
      const keep = [BOT_CONFIG_FILE, config.schema.bot, ...entryFiles(config)];
      const packed = await packFolder(folder, { keep });
      const { record, created } = await catalog.publish(userId, packed.stream);
      // With the feed's clock started now, its averages cross at the second look of the bot, in half a minute.
      const base_url = `${feedUrl()}/from/${now()}`;
      return { custom_bot: record, created, instance: { ...instance, config: { ...instance.config, base_url } } };
    },
  };
}
