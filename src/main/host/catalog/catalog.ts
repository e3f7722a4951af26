import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { BotType } from '../../../contract/bot.ts';
import { type JsonObject, toTimestamp } from '../../../contract/common.ts';
import type {
  CustomBotSummary,
  CustomBotVersion,
  DeclaredMode,
  DescribedVersion,
  FileProblem,
  NamedInterpreter,
  PackagePreview,
  VersionDiff,
  VersionFiles,
  VersionFileText,
  VersionView,
} from '../../../contract/custom-bot.ts';
import { invalid, PlatformError, type Problem } from '../../../contract/errors.ts';
import { CUSTOM_BOT_NAME, compareVersions, LIMITS, VERSION } from '../../../contract/limits.ts';
import type { Permits } from '../../../contract/permits.ts';
import { faultPoint } from '../../../node/fault-point.ts';
import { removeTree } from '../../../node/remove-tree.ts';
import { redactConfig, replaceSecrets, secretProperties } from '../../../packaging/config-secrets.ts';
import { type ConfigValidator, compileConfigSchema } from '../../../packaging/config-validator.ts';
import type { ExecutableTarget } from '../../../packaging/executable-header.ts';
import { toProblem } from '../../../packaging/file-problem.ts';
import { keepStoredSecrets } from '../../../packaging/keep-stored-secrets.ts';
import { leftOutWarnings } from '../../../packaging/left-out-warnings.ts';
import { type Unpacked, unpackPackage } from '../../../packaging/unpack.ts';
import { type PackageContent, type PackageReading, readPackage } from '../../../project/read-package.ts';
import { didYouMean } from '../../../shared/did-you-mean.ts';
import { installSheet } from '../../../shared/permit-words.ts';
import { schemaChanges } from '../../../shared/schema-changes.ts';
import type { SealedValue } from '../../../shared/secret-references.ts';
import { firstForbidden, VIEW_FILE } from '../../../shared/view-markup.ts';
import type { CatalogRow, CatalogStore } from '../control/catalog-store.ts';
import { flushTree, placeTree, sweepTrees } from './code-tree.ts';
import { declaredCommand, declaredModes, declaredPermits } from './declared-by-version.ts';
import { type ExportedVersion, exportVersion } from './export-version.ts';
import { checkHash, linkResult, type ReceivedPackage } from './received-package.ts';
import { compareVersionFiles, listVersionFiles, readVersionFile } from './version-files.ts';

/** A bot as the catalogue needs to know it: its version. */
export interface CatalogUse {
  readonly name: string;
  readonly version: string;
  /** The bot is in the trash, from which it may come back. */
  readonly isTrashed?: boolean;
}

export interface CatalogOptions {
  /** Folder of all packages; created when missing. */
  readonly dir: string;
  readonly store: CatalogStore;
  readonly clock: { now(): number };
  /** Instances of a user that run any version of a custom bot: they protect their version from removal. */
  readonly usedBy: (userId: string, name: string) => readonly CatalogUse[];
  /** Instances of a user that run another version of a custom bot once a person approves it: they protect it as well. */
  readonly awaitedBy: (userId: string, name: string) => readonly CatalogUse[];
  /** Target of compiled bots; default: this machine. */
  readonly target?: ExecutableTarget;
}

export interface PublishOptions {
  /** Content hash that the package must have; INVALID_PACKAGE for any other. */
  readonly hash?: string | undefined;
  /** Called before anything is stored or told; throws for a caller who may not do this any more. */
  readonly stillMay?: () => void;
}

export interface Published {
  readonly record: DescribedVersion;
  /** False when the same content was already published. */
  readonly created: boolean;
  readonly warnings: FileProblem[];
}

/** A published version ready to run: its code, its entries, and the handling of its configs. */
export interface OpenedCode {
  readonly botType: BotType;
  /** Hash of the content of the package. */
  readonly hash: string;
  /** Absolute. Its files are read-only. */
  readonly codeDir: string;
  /** Canonical id. */
  readonly runtime: string;
  /** The interpreter that the package names; null where its runtime has one. */
  readonly command: NamedInterpreter | null;
  readonly botEntry: string;
  readonly queryEntry: string | null;
  /** The package says `prewarm_queries`. */
  readonly prewarmsQueries: boolean;
  /** What the package says it can trade with; empty where it does not say. */
  readonly modes: readonly DeclaredMode[];
  /** What the package asks for; null where it does not say. */
  readonly permits: Permits | null;
  /** Applies the schema's defaults and checks the config; never throws for bad values. */
  validate(config: JsonObject): { readonly effective: JsonObject; readonly problems: readonly Problem[] };
  /** Texts to mask in all output of the bot. */
  secrets(effective: JsonObject): readonly string[];
  /** The config as read surfaces show it. */
  redact(config: JsonObject): JsonObject;
  /** A copy of a config in which `change` replaces each secret value. */
  mapSecrets(
    config: Record<string, unknown>,
    change: (value: string | number | SealedValue) => unknown,
  ): Record<string, unknown>;
  /** Replaces `********` in a sent config by the stored secrets; throws INVALID_CONFIG where none is stored. */
  restore(config: JsonObject, stored: JsonObject): JsonObject;
}

/** The custom bots of every user. A user sees only their own. */
export interface Catalog {
  /**
   * Publishes a package. The same content again succeeds and changes nothing. Throws INVALID_PACKAGE, TOO_LARGE, or
   * VERSION_EXISTS for other content under a published version.
   */
  publish(userId: string, source: Readable, options?: PublishOptions): Promise<Published>;
  /** Says what publishing a package would do, and stores nothing. Throws as `publish`. */
  inspect(userId: string, source: Readable, options?: PublishOptions): Promise<PackagePreview>;
  /** One version, the highest by default. Throws CUSTOM_BOT_NOT_FOUND. */
  get(userId: string, name: string, version?: string): DescribedVersion;
  /** All custom bots of a user by name. */
  list(userId: string): CustomBotSummary[];
  /** The configuration schema of a version. Throws CUSTOM_BOT_NOT_FOUND. */
  schema(userId: string, name: string, version?: string): { name: string; version: string; schema: JsonObject };
  /** The files of a version, the highest by default. Throws CUSTOM_BOT_NOT_FOUND. */
  files(userId: string, name: string, version?: string): Promise<VersionFiles>;
  /** One file of a version. Throws CUSTOM_BOT_NOT_FOUND or FILE_NOT_FOUND. */
  file(userId: string, name: string, version: string | undefined, path: string): Promise<VersionFileText>;
  /** The view of a version, the highest by default. Throws CUSTOM_BOT_NOT_FOUND. */
  view(userId: string, name: string, version?: string): Promise<VersionView>;
  /** Returns the files that differ between two versions. Throws CUSTOM_BOT_NOT_FOUND. */
  diff(userId: string, name: string, from: string, to: string): Promise<VersionDiff>;
  /** A version, the highest by default, as a package. Throws CUSTOM_BOT_NOT_FOUND or DATA_DAMAGED. */
  export(userId: string, name: string, version?: string): Promise<ExportedVersion>;
  /** A version ready to run. Throws CUSTOM_BOT_NOT_FOUND. */
  open(userId: string, name: string, version: string): OpenedCode;
  /** Removes a version. Throws CUSTOM_BOT_NOT_FOUND, or VERSION_IN_USE while an instance runs it. */
  remove(userId: string, name: string, version: string): Promise<void>;
  /**
   * Removes the remains of a crash: unfinished uploads and folders without a record. Call once at start. Returns the
   * removed paths, and the versions whose code is missing.
   */
  sweep(): Promise<{ readonly removed: readonly string[]; readonly missing: readonly string[] }>;
}

const INCOMING = '.incoming';
const USER_ID = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_VALIDATORS = 200;

const highestFirst = (versions: readonly string[]) => [...versions].sort((a, b) => compareVersions(b, a));

/** Names of bots for a message, not too many. */
function names(uses: readonly CatalogUse[]): string {
  const first = uses
    .slice(0, 5)
    .map((use) => `${JSON.stringify(use.name)}${use.isTrashed === true ? ' (in the trash)' : ''}`);
  return `${first.join(', ')}${uses.length > first.length ? ` and ${uses.length - first.length} more` : ''}`;
}

class FolderCatalog implements Catalog {
  readonly #dir: string;
  readonly #store: CatalogStore;
  readonly #now: () => number;
  readonly #usedBy: CatalogOptions['usedBy'];
  readonly #awaitedBy: CatalogOptions['awaitedBy'];
  readonly #target: ExecutableTarget;
  readonly #validators = new Map<string, ConfigValidator>();

  constructor(options: CatalogOptions) {
    this.#dir = options.dir;
    this.#store = options.store;
    this.#now = () => options.clock.now();
    this.#usedBy = options.usedBy;
    this.#awaitedBy = options.awaitedBy;
    this.#target = options.target ?? { os: process.platform, arch: process.arch };
    mkdirSync(join(this.#dir, INCOMING), { recursive: true });
  }

  async publish(userId: string, source: Readable, options: PublishOptions = {}): Promise<Published> {
    return this.#received(userId, source, async ({ dir, unpacked, content, warnings }) => {
      checkHash(unpacked, options.hash);
      await linkResult(dir);
      await flushTree(dir);
      faultPoint('publish:unpacked');
      options.stillMay?.();
      return this.#enter(userId, dir, unpacked, { content, warnings });
    });
  }

  async inspect(userId: string, source: Readable, options: PublishOptions = {}): Promise<PackagePreview> {
    return this.#received(userId, source, async ({ dir, unpacked, content, warnings }) => {
      checkHash(unpacked, options.hash);
      options.stillMay?.();
      const record = this.#record(unpacked, content);
      const known = this.#known(userId, record);
      const { created_at: _, ...described } = this.#described(userId, known ?? record);
      const changes = await this.#changesOf(userId, described, { dir, schema: content.schema });
      return { custom_bot: described, published: known !== null, changes, warnings };
    });
  }

  /** Unpacks and checks a package; what is left of it afterwards is removed. */
  async #received<T>(userId: string, source: Readable, use: (received: ReceivedPackage) => Promise<T>): Promise<T> {
    const incoming = this.#incoming();
    const dir = join(incoming, 'files');
    await mkdir(dir, { recursive: true });
    try {
      const unpacked = await unpackPackage(source, dir);
      const paths = unpacked.files.map(({ path }) => path);
      const reading = await readPackage(dir, paths, this.#target);
      const content = this.#checked(userId, reading, unpacked);
      for (const program of content.programs) await chmod(join(dir, program), 0o555);
      const warnings = [...reading.warnings, ...leftOutWarnings(unpacked.leftOut)];
      return await use({ dir, unpacked, content, warnings });
    } finally {
      await removeTree(incoming);
    }
  }

  /** The differences of a package from the version that its install sheet names; null without one. */
  async #changesOf(
    userId: string,
    { name, install_sheet: { since } }: Pick<DescribedVersion, 'name' | 'install_sheet'>,
    { dir, schema }: { readonly dir: string; readonly schema: JsonObject },
  ): Promise<PackagePreview['changes']> {
    if (since === null) return null;
    const before = this.#row(userId, name, since);
    const all = await compareVersionFiles(this.#place(userId, name, since), dir);
    const settings = schemaChanges(before.schema, schema).map((change) => ({ ...change, what: [...change.what] }));
    return { from: since, items: all.slice(0, LIMITS.shownFiles), total: all.length, settings };
  }

  /** The content of a package, or INVALID_PACKAGE. Content published before a check existed stays valid. */
  #checked(userId: string, { content, problems, faults }: PackageReading, { hash }: Unpacked): PackageContent {
    if (content === null) throw invalid('INVALID_PACKAGE', problems.map(toProblem));
    const { name, version } = content.config;
    const isKnown = this.#store.getVersion(userId, name, version)?.record.hash === hash;
    if (faults.length > 0 && !isKnown) throw invalid('INVALID_PACKAGE', faults.map(toProblem));
    return content;
  }

  /** Synchronous from check to record: two uploads of one version cannot both pass. */
  #enter(
    userId: string,
    incoming: string,
    unpacked: Unpacked,
    { content, warnings }: { readonly content: PackageContent; readonly warnings: FileProblem[] },
  ): Published {
    const record = this.#record(unpacked, content);
    const known = this.#known(userId, record);
    const place = this.#place(userId, record.name, record.version);
    if (known !== null) {
      if (!existsSync(place)) placeTree(incoming, place); // The code was lost; the same content makes it whole.
      return { record: this.#described(userId, known), created: false, warnings };
    }
    if (existsSync(place)) renameSync(place, this.#incoming());
    placeTree(incoming, place);
    faultPoint('publish:placed');
    try {
      this.#store.insertVersion({ userId, record, schema: content.schema });
    } catch (error) {
      renameSync(place, incoming);
      throw error;
    }
    faultPoint('publish:recorded');
    return { record: this.#described(userId, record), created: true, warnings };
  }

  /** The record of a version that is published already; null for a new one. VERSION_EXISTS for other content. */
  #known(userId: string, { name, version, hash }: CustomBotVersion): CustomBotVersion | null {
    const known = this.#store.getVersion(userId, name, version)?.record ?? null;
    const published = known?.hash ?? this.#store.removedHash(userId, name, version);
    if (published !== null && published !== hash) throw this.#versionExists(userId, name, version);
    return known;
  }

  #record(unpacked: Unpacked, { config, runtime, readme }: PackageContent): CustomBotVersion {
    return {
      name: config.name,
      version: config.version,
      type: config.type,
      runtime,
      description: config.description ?? '',
      author: config.author ?? '',
      entrypoints: { bot: config.entrypoints.bot, query: config.entrypoints.query ?? null },
      metadata: config.metadata ?? {},
      readme,
      hash: unpacked.hash,
      size_bytes: unpacked.bytes,
      files: unpacked.files.length,
      config,
      created_at: toTimestamp(this.#now()),
    };
  }

  #versionExists(userId: string, name: string, version: string): PlatformError {
    const [highest = version] = highestFirst([...this.#store.listVersions(userId, name), version]);
    const [major = '0', minor = '0', patch = '0'] = highest.split('.');
    const next = `${major}.${minor}.${BigInt(patch) + 1n}`;
    return new PlatformError(
      'VERSION_EXISTS',
      `Version ${version} of "${name}" was published before, with other content`,
      {
        hint: `Versions never change. Raise the version in bot-config.yaml, for example: version: "${next}"`,
      },
    );
  }

  #row(userId: string, name: string, version?: string): CatalogRow {
    const named = version === undefined ? null : this.#store.getVersion(userId, name, version);
    if (named !== null) return named;
    const versions = highestFirst(this.#store.listVersions(userId, name));
    const [newest] = versions;
    const row = version === undefined && newest !== undefined ? this.#store.getVersion(userId, name, newest) : null;
    if (row !== null) return row;
    throw new PlatformError('CUSTOM_BOT_NOT_FOUND', undefined, { hint: this.#whatThereIs(userId, name, versions) });
  }

  #whatThereIs(userId: string, name: string, versions: readonly string[]): string | undefined {
    if (versions.length > 0) return `"${name}" has these versions: ${versions.slice(0, 10).join(', ')}`;
    const names = [...new Set(this.#store.list(userId).map((record) => record.name))].sort();
    if (names.length === 0) return "Nothing is published yet. Run `platform custom-bot deploy` in a bot's folder.";
    const meant = didYouMean(name, names);
    return `${meant === null ? '' : `Did you mean "${meant}"? `}Published: ${names.slice(0, 20).join(', ')}`;
  }

  get(userId: string, name: string, version?: string): DescribedVersion {
    return this.#described(userId, this.#row(userId, name, version).record);
  }

  /** A version with its install sheet, held against the highest version below it. */
  #described(userId: string, record: CustomBotVersion): DescribedVersion {
    const { name, version } = record;
    const lower = this.#store.listVersions(userId, name).filter((one) => compareVersions(one, version) < 0);
    const [before] = highestFirst(lower);
    const earlier = before === undefined ? null : this.#row(userId, name, before).record;
    const facts = (of: CustomBotVersion) => ({
      version: of.version,
      permits: declaredPermits(of.config),
      interpreter: declaredCommand(of)?.interpreter ?? null,
    });
    return { ...record, install_sheet: installSheet(facts(record), earlier === null ? null : facts(earlier)) };
  }

  list(userId: string): CustomBotSummary[] {
    const records = this.#store.list(userId);
    const byName = Map.groupBy(records, (record) => record.name);
    const summaries = [...byName].map(([name, group]) => {
      const versions = group.sort((a, b) => compareVersions(b.version, a.version));
      const times = versions.map((record) => record.created_at).sort();
      const [latest] = versions;
      if (latest === undefined) throw new Error('a group has at least one record');
      return {
        name,
        type: latest.type,
        runtime: latest.runtime,
        description: latest.description,
        latest_version: latest.version,
        versions: versions.map((record) => record.version),
        created_at: times[0] ?? latest.created_at,
        updated_at: times.at(-1) ?? latest.created_at,
        bots: this.#usedBy(userId, name).filter(({ isTrashed }) => isTrashed !== true).length,
      };
    });
    return summaries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  schema(userId: string, name: string, version?: string): { name: string; version: string; schema: JsonObject } {
    const row = this.#row(userId, name, version);
    return { name, version: row.record.version, schema: row.schema };
  }

  async files(userId: string, name: string, wanted?: string): Promise<VersionFiles> {
    const { version } = this.#row(userId, name, wanted).record;
    const all = await listVersionFiles(this.#place(userId, name, version));
    return { name, version, items: all.slice(0, LIMITS.shownFiles), total: all.length };
  }

  async file(userId: string, name: string, wanted: string | undefined, path: string): Promise<VersionFileText> {
    const { version } = this.#row(userId, name, wanted).record;
    const found = await readVersionFile(this.#place(userId, name, version), path);
    if (found !== null) return { name, version, ...found };
    throw new PlatformError('FILE_NOT_FOUND', `${name} ${version} has no file ${JSON.stringify(path)}`, {
      hint: `List its files with \`platform custom-bot files ${name} ${version}\`.`,
    });
  }

  async view(userId: string, name: string, wanted?: string): Promise<VersionView> {
    const { version } = this.#row(userId, name, wanted).record;
    const found = await readVersionFile(this.#place(userId, name, version), VIEW_FILE, LIMITS.viewBytes);
    const text = found === null || found.truncated ? null : found.text;
    // A version that was published before views were checked may hold anything under this name.
    return { name, version, html: text === null || firstForbidden(text) !== null ? null : text };
  }

  async export(userId: string, name: string, version?: string): Promise<ExportedVersion> {
    const { record } = this.#row(userId, name, version);
    const stream = await exportVersion(this.#place(userId, name, record.version), record);
    return { fileName: `${name}-${record.version}.tar.gz`, stream };
  }

  async diff(userId: string, name: string, from: string, to: string): Promise<VersionDiff> {
    const [before, after] = [this.#row(userId, name, from).record, this.#row(userId, name, to).record];
    const place = (version: string): string => this.#place(userId, name, version);
    const all = before.hash === after.hash ? [] : await compareVersionFiles(place(from), place(to));
    return { name, from, to, items: all.slice(0, LIMITS.shownFiles), total: all.length };
  }

  /** Versions with the same content share their validator; beyond a limit the oldest is dropped. */
  #compiled(row: CatalogRow): ConfigValidator {
    const key = row.record.hash;
    const known = this.#validators.get(key);
    if (known !== undefined) return known;
    const made = compileConfigSchema(row.schema);
    const [oldest] = this.#validators.keys();
    if (this.#validators.size >= MAX_VALIDATORS && oldest !== undefined) this.#validators.delete(oldest);
    this.#validators.set(key, made);
    return made;
  }

  open(userId: string, name: string, version: string): OpenedCode {
    const row = this.#row(userId, name, version);
    const { record, schema } = row;
    return {
      botType: record.type,
      hash: record.hash,
      codeDir: this.#place(userId, name, version),
      runtime: record.runtime,
      command: declaredCommand(record),
      botEntry: record.entrypoints.bot,
      queryEntry: record.entrypoints.query,
      prewarmsQueries: record.config.prewarm_queries === true,
      modes: declaredModes(record.config),
      permits: declaredPermits(record.config),
      validate: (config) => this.#compiled(row).validate(config),
      secrets: (effective) => secretProperties(schema, effective).map(({ value }) => value),
      redact: (config) => redactConfig(schema, config),
      mapSecrets: (config, change) => replaceSecrets(schema, config, change),
      restore: (config, stored) => keepStoredSecrets(schema, config, stored),
    };
  }

  async remove(userId: string, name: string, version: string): Promise<void> {
    this.#row(userId, name, version);
    const isThis = (use: CatalogUse): boolean => use.version === version;
    const users = this.#usedBy(userId, name).filter(isThis);
    if (users.length > 0) {
      throw new PlatformError('VERSION_IN_USE', `Version ${version} of "${name}" is in use by ${names(users)}`, {
        hint: 'Delete these bots, or update them to another version; remove those in the trash for good (`platform trash empty`). Then remove it.',
      });
    }
    const awaiting = this.#awaitedBy(userId, name).filter(isThis);
    if (awaiting.length > 0) {
      throw new PlatformError(
        'VERSION_IN_USE',
        `A change to version ${version} of "${name}" waits for a person, of ${names(awaiting)}`,
        { hint: 'Have them approve or reject it: `platform approvals list` shows what waits.' },
      );
    }
    this.#store.deleteVersion(userId, name, version);
    faultPoint('unpublish:recorded');
    const place = this.#place(userId, name, version);
    if (!existsSync(place)) return;
    const trash = this.#incoming();
    renameSync(place, trash);
    faultPoint('unpublish:moved');
    await removeTree(trash);
  }

  async sweep(): Promise<{ removed: readonly string[]; missing: readonly string[] }> {
    const keys = [...this.#store.keys()].map(({ userId, name, version }) => `${userId}/${name}/${version}`);
    return sweepTrees(this.#dir, INCOMING, new Set(keys));
  }

  #incoming(): string {
    return join(this.#dir, INCOMING, randomUUID());
  }

  /** Folder of a version. All three parts were checked, so none can lead elsewhere. */
  #place(userId: string, name: string, version: string): string {
    if (!USER_ID.test(userId) || !CUSTOM_BOT_NAME.test(name) || !VERSION.test(version))
      throw new Error(`no folder can be made for ${JSON.stringify([userId, name, version])}`);
    return join(this.#dir, userId, name, version);
  }
}

/** Opens the catalogue on a folder and a store; see `Catalog`. Packages lie under `<dir>/<userId>/<name>/<version>/`. */
export function createCatalog(options: CatalogOptions): Catalog {
  return new FolderCatalog(options);
}
