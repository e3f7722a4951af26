import { PlatformError } from '../../../../contract/errors.ts';
import type { ToolCaller } from '../tool.ts';
import { viewUri } from '../uris.ts';

/** Address of the view of a bot's version; null for a version that has none, and where the host cannot say. */
export async function viewOf(bot_id: string, caller: ToolCaller): Promise<string | null> {
  try {
    const { type, version } = await caller.call('bots.get', { bot_id });
    const [, name = ''] = type.split('/');
    const { html } = await caller.call('custom_bots.view', { name, version });
    return html === null ? null : viewUri(name, version);
  } catch (error) {
    // The answer is complete without it, and what it tells of has happened: no refusal of the view may take its place.
    if (error instanceof PlatformError) return null;
    throw error;
  }
}
