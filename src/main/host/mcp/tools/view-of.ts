import type { Bot } from '../../../../contract/bot.ts';
import { PlatformError } from '../../../../contract/errors.ts';
import type { ToolCaller } from '../tool.ts';
import { viewUri } from '../uris.ts';

/** Address of the view of a bot's version; null for a version that has none. */
export async function viewOf(
  { type, version }: Pick<Bot, 'type' | 'version'>,
  caller: ToolCaller,
): Promise<string | null> {
  const [, name = ''] = type.split('/');
  try {
    const { html } = await caller.call('custom_bots.view', { name, version });
    return html === null ? null : viewUri(name, version);
  } catch (error) {
    // The answer is complete without it: a version may have lost its files, or its bot may be gone by now.
    if (error instanceof PlatformError && error.status === 404) return null;
    throw error;
  }
}
