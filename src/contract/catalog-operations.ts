import { z } from 'zod';
import { JsonObject } from './common.ts';
import {
  CustomBotSummary,
  DescribedVersion,
  FileProblem,
  PackagePreview,
  VersionDiff,
  VersionFiles,
  VersionFileText,
  VersionView,
} from './custom-bot.ts';
import { call, download, type Operation, upload } from './operation.ts';
import { done, list, none } from './operation-fields.ts';
import { PublishedSample, Sample } from './sample-bot.ts';
import { TrialReport, TrialRequest } from './trial.ts';

const customBotName = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Name of the custom bot', examples: ['sma-crossover'] });
const version = z.string().optional().meta({ description: 'Version; default: the highest' });

const NO_CUSTOM_BOT = ['CUSTOM_BOT_NOT_FOUND'] as const;

/** Rows of the operation table: custom bots, their versions, and the samples. */
export const CATALOG_OPERATIONS = {
  'custom_bots.list': call(
    ['GET', '/api/v1/custom-bots'],
    'read',
    'List published custom bots',
    none,
    list(CustomBotSummary),
    { namedBots: true },
  ),
  'custom_bots.get': call(
    ['GET', '/api/v1/custom-bots/{name}'],
    'read',
    'One version of a custom bot with its readme',
    z.strictObject({ name: customBotName, version }),
    DescribedVersion,
    { namedBots: true, errors: NO_CUSTOM_BOT },
  ),
  'custom_bots.schema': call(
    ['GET', '/api/v1/custom-bots/{name}/schema'],
    'read',
    'JSON Schema of the configuration',
    z.strictObject({ name: customBotName, version }),
    z.object({ name: z.string(), version: z.string(), schema: JsonObject }),
    { namedBots: true, errors: NO_CUSTOM_BOT },
  ),
  'custom_bots.files': call(
    ['GET', '/api/v1/custom-bots/{name}/files'],
    'read',
    'The files of a version with their sizes',
    z.strictObject({ name: customBotName, version }),
    VersionFiles,
    { namedBots: true, cost: 'heavy', errors: NO_CUSTOM_BOT },
  ),
  'custom_bots.file': call(
    ['GET', '/api/v1/custom-bots/{name}/file'],
    'read',
    'The text of one file of a version',
    z.strictObject({
      name: customBotName,
      version,
      path: z.string().max(1000).meta({ description: 'Path as custom_bots.files lists it' }),
    }),
    VersionFileText,
    { namedBots: true, errors: ['CUSTOM_BOT_NOT_FOUND', 'FILE_NOT_FOUND'] },
  ),
  'custom_bots.view': call(
    ['GET', '/api/v1/custom-bots/{name}/view'],
    'read',
    'The view of a version: the screen that its package brings along',
    z.strictObject({ name: customBotName, version }),
    VersionView,
    { namedBots: true, errors: NO_CUSTOM_BOT, docs: 'docs/views.md#the-file' },
  ),
  'custom_bots.diff': call(
    ['GET', '/api/v1/custom-bots/{name}/diff'],
    'read',
    'Which files are different between two versions',
    z.strictObject({ name: customBotName, from: z.string(), to: z.string() }),
    VersionDiff,
    { namedBots: true, cost: 'heavy', errors: NO_CUSTOM_BOT },
  ),
  'custom_bots.export': download(
    ['GET', '/api/v1/custom-bots/{name}/package'],
    'read',
    'One version as a package (tar.gz), which another host can publish; the same bytes each time',
    z.strictObject({ name: customBotName, version }),
    z.string(),
    { namedBots: true, cost: 'heavy', errors: [...NO_CUSTOM_BOT, 'DATA_DAMAGED'] },
  ),
  'custom_bots.inspect': upload(
    ['POST', '/api/v1/custom-bots/inspect'],
    'operate',
    'What publishing a package would do: the version, its permits, and what is different from the version before',
    none,
    PackagePreview,
    { effect: 'read', errors: ['INVALID_PACKAGE', 'VERSION_EXISTS', 'TOO_LARGE'] },
  ),
  'custom_bots.publish': upload(
    ['POST', '/api/v1/custom-bots'],
    'operate',
    'Publish a version from a package (body: tar.gz, tar or zip)',
    z.strictObject({
      hash: z
        .string()
        .regex(/^[0-9a-f]{64}$/, 'a content hash has 64 of 0-9 a-f')
        .optional()
        .meta({ description: 'Content hash that the package must have, as custom_bots.inspect or its maker names it' }),
    }),
    z.object({ custom_bot: DescribedVersion, created: z.boolean(), warnings: z.array(FileProblem) }),
    {
      status: 201,
      errors: ['INVALID_PACKAGE', 'VERSION_EXISTS', 'TOO_LARGE'],
      audit: ['published', 'publish', '[custom bot {name}|a custom bot][ {version}]'],
    },
  ),
  'custom_bots.validate': call(
    ['POST', '/api/v1/custom-bots/validate'],
    'read',
    'Check the files of a custom bot as publishing does, or bot-config.yaml and bot-schema.json alone',
    z.strictObject({
      config_yaml: z.string().optional(),
      schema_json: z.string().optional(),
      files: z
        .record(z.string(), z.string())
        .optional()
        .meta({ description: 'All text files by relative path, instead of the two texts' }),
    }),
    z.object({ valid: z.boolean(), problems: z.array(FileProblem), warnings: z.array(FileProblem) }),
    { namedBots: true, effect: 'read', cost: 'heavy' },
  ),
  'custom_bots.verify': call(
    ['POST', '/api/v1/custom-bots/verify'],
    'operate',
    'Run a custom bot on a host of its own and tell what holds of the contract; nothing of it stays',
    TrialRequest,
    TrialReport,
    {
      target: 'name',
      errors: [
        'CUSTOM_BOT_NOT_FOUND',
        'INVALID_CONFIG',
        'ISOLATION_REQUIRED',
        'INTERPRETER_NOT_ALLOWED',
        'ENGINE_UNAVAILABLE',
        'RATE_LIMITED',
        'QUERY_TIMEOUT',
      ],
      audit: ['tried', 'try', '[custom bot {name}|the files of a custom bot][ {version}]'],
    },
  ),
  'custom_bots.delete': call(
    ['DELETE', '/api/v1/custom-bots/{name}/versions/{version}'],
    'operate',
    'Remove a version that no bot uses',
    z.strictObject({ name: customBotName, version: z.string() }),
    done,
    {
      effect: 'destructive',
      errors: ['CUSTOM_BOT_NOT_FOUND', 'VERSION_IN_USE'],
      audit: ['removed', 'remove', '[custom bot {name}|a version of a custom bot][ {version}]'],
    },
  ),

  'samples.list': call(
    ['GET', '/api/v1/samples'],
    'read',
    'Bots that come with the product, and whether this machine can run them',
    none,
    list(Sample),
  ),
  'samples.publish': call(
    ['POST', '/api/v1/samples/{name}/publish'],
    'operate',
    'Publish a sample; answers with the request that deploys it against the offline price feed',
    z.strictObject({ name: customBotName }),
    PublishedSample,
    {
      status: 201,
      errors: ['CUSTOM_BOT_NOT_FOUND', 'INVALID_PACKAGE', 'VERSION_EXISTS'],
      audit: ['published', 'publish', '[sample {name}|a sample]'],
    },
  ),
} as const satisfies Record<string, Operation>;
