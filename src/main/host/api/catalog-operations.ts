import { invalid, PlatformError } from '../../../contract/errors.ts';
import { validateFiles, validateTexts } from '../catalog/validate-package.ts';
import type { Caller, DownloadHandlers, Handlers, UploadHandlers } from './handler-types.ts';
import { reaches } from './own-bot.ts';
import type { Services } from './services.ts';

type CatalogOperations =
  | 'custom_bots.list'
  | 'custom_bots.get'
  | 'custom_bots.schema'
  | 'custom_bots.files'
  | 'custom_bots.file'
  | 'custom_bots.view'
  | 'custom_bots.diff'
  | 'custom_bots.validate'
  | 'custom_bots.verify'
  | 'custom_bots.delete';

/** Counts the bots of a custom bot that a caller reaches: others are neither counted nor shown. */
function countReached(s: Services, caller: Caller): (name: string) => number {
  const reached = s.bots.list(caller.userId).filter(({ botId }) => reaches(caller, botId));
  return (name) => reached.filter(({ customBot }) => customBot === name).length;
}

/** Throws CUSTOM_BOT_NOT_FOUND for a custom bot of which the caller's key reaches no bot. */
function checkReached(s: Services, caller: Caller, name: string): void {
  if (caller.botIds !== null && countReached(s, caller)(name) === 0) throw new PlatformError('CUSTOM_BOT_NOT_FOUND');
}

/** Custom bots and their versions. */
export function catalogOperations(s: Services): Pick<Handlers, CatalogOperations> {
  return {
    'custom_bots.list': (_, caller) => {
      const items = s.catalog.list(caller.userId);
      if (caller.botIds === null) return { items };
      const count = countReached(s, caller);
      return {
        items: items.map((item) => ({ ...item, bots: count(item.name) })).filter(({ bots }) => bots > 0),
      };
    },
    'custom_bots.get': ({ name, version }, caller) => {
      checkReached(s, caller, name);
      return s.catalog.get(caller.userId, name, version);
    },
    'custom_bots.schema': ({ name, version }, caller) => {
      checkReached(s, caller, name);
      return s.catalog.schema(caller.userId, name, version);
    },
    'custom_bots.files': ({ name, version }, caller) => {
      checkReached(s, caller, name);
      return s.catalog.files(caller.userId, name, version);
    },
    'custom_bots.file': ({ name, version, path }, caller) => {
      checkReached(s, caller, name);
      return s.catalog.file(caller.userId, name, version, path);
    },
    'custom_bots.view': ({ name, version }, caller) => {
      checkReached(s, caller, name);
      return s.catalog.view(caller.userId, name, version);
    },
    'custom_bots.diff': ({ name, from, to }, caller) => {
      checkReached(s, caller, name);
      return s.catalog.diff(caller.userId, name, from, to);
    },
    'custom_bots.validate': ({ files, config_yaml, schema_json }) => {
      if (files !== undefined && config_yaml === undefined && schema_json === undefined) return validateFiles(files);
      if (files === undefined && config_yaml !== undefined) return validateTexts({ config_yaml, schema_json });
      const hint = 'Give files, or config_yaml with or without schema_json.';
      throw invalid('INVALID_REQUEST', [{ path: '', message: 'needs either files or config_yaml', hint }]);
    },
    'custom_bots.verify': (request, { userId, signal }) => s.trials.run(userId, request, signal),
    'custom_bots.delete': async ({ name, version }, { userId }) => {
      await s.catalog.remove(userId, name, version);
      return { ok: true };
    },
  };
}

/** Uploads to the catalogue. */
export function catalogUploads({ catalog }: Services): UploadHandlers {
  return {
    'custom_bots.inspect': (_, body, { userId }, stillMay) => catalog.inspect(userId, body, { stillMay }),
    'custom_bots.publish': async ({ hash }, body, { userId }, stillMay) => {
      const { record, created, warnings } = await catalog.publish(userId, body, { hash, stillMay });
      return { custom_bot: record, created, warnings };
    },
  };
}

/** Files of the catalogue. */
export function catalogDownloads(s: Services): DownloadHandlers {
  return {
    'custom_bots.export': async ({ name, version }, caller) => {
      checkReached(s, caller, name);
      const { fileName, stream } = await s.catalog.export(caller.userId, name, version);
      return { fileName, stream, contentType: 'application/gzip' };
    },
  };
}
