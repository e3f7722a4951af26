import type { z } from 'zod';
import { BotOptions } from '../../../../contract/bot.ts';
import { JsonObject } from '../../../../contract/common.ts';
import { invalid } from '../../../../contract/errors.ts';
import { issueText } from '../../../../shared/zod-issue-text.ts';

/**
 * Options that an assistant may set. Engine and network determine the isolation of a bot, which only the person may
 * decide.
 */
const OwnOptions = BotOptions.omit({ engine: true, network: true });
type OwnOptions = z.infer<typeof OwnOptions>;

const NAMES = Object.keys(OwnOptions.shape);

/** The argument, described in words, because every conversation pays for the schemas in the list of tools. */
export const optionsField = JsonObject.optional().meta({
  description: `Limits and rules of runs: timeout_sec, overlap (skip|allow), catch_up (run_once|skip), memory_mb, max_processes, max_open_files, cpus, tmp_mb.`,
});

/**
 * Reads options as an assistant gives them; null removes one.
 * @throws PlatformError INVALID_REQUEST
 */
export function readOptions(given: JsonObject): { readonly set: OwnOptions; readonly removed: readonly string[] } {
  const entries = Object.entries(given);
  const read = OwnOptions.safeParse(
    Object.fromEntries(entries.filter(([name, value]) => value !== null || !NAMES.includes(name))),
    { reportInput: true },
  );
  if (read.success)
    return { set: read.data, removed: entries.flatMap(([name, value]) => (value === null ? [name] : [])) };
  throw invalid(
    'INVALID_REQUEST',
    read.error.issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys') {
        return [{ path: ['config.options', ...issue.path].join('.'), message: issueText(issue) }];
      }
      return issue.keys.map((name) => ({
        path: `config.options.${name}`,
        message:
          name === 'engine' || name === 'network'
            ? 'decides how the bot is isolated: ask the user to set it'
            : 'there is no such option',
        hint: `Options: ${NAMES.join(', ')}.`,
      }));
    }),
  );
}

/** Returns the options of a bot after a change; options that the change omits stay. */
export function changedOptions(before: BotOptions, given: JsonObject): BotOptions {
  const { set, removed } = readOptions(given);
  const kept = Object.entries(before).filter(([name]) => !removed.includes(name));
  return { ...Object.fromEntries(kept), ...set };
}
