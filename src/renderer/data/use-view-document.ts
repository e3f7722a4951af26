import type { Bot } from '../../contract/bot.ts';
import type { VersionView } from '../../contract/custom-bot.ts';
import { type Called, useCall } from './use-call.ts';

/** The view that the version of a bot brings along. */
export function useViewDocument({ type, version }: Pick<Bot, 'type' | 'version'>): Called<VersionView> {
  const [, name = ''] = type.split('/');
  return useCall('custom_bots.view', { name, version });
}
