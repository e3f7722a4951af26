import type { Bot } from '../../../contract/bot.ts';
import { ActionsMenu } from '../../components/actions-menu.tsx';
import { useRowActions } from './row-actions.tsx';

/** What can be done with a bot of the fleet, without leaving it. */
export function FleetRowMenu({ bot, isActive }: { readonly bot: Bot; readonly isActive: boolean }) {
  const { change, places, copy } = useRowActions(bot);
  return <ActionsMenu label={`Actions for ${bot.name}`} tabIndex={isActive ? 0 : -1} groups={[change, places, copy]} />;
}
