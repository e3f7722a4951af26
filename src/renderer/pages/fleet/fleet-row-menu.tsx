import { CopyPlus, Play, RotateCw, ScrollText, Settings, Square, Wallet, Zap } from 'lucide-react';
import { useLocation } from 'wouter';
import type { Bot } from '../../../contract/bot.ts';
import { ActionsMenu, type MenuAction } from '../../components/actions-menu.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { duplicateBotAddress } from '../../data/duplicate-bot-address.ts';
import { BOT_ACTIONS, type BotAction } from '../../data/start-stop-actions.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { BULK } from './bulk-actions.ts';

const ICONS = { start: Play, stop: Square, restart: RotateCw, run: Zap } as const;

/** The actions that make sense for a bot as it is. */
function actionsFor(bot: Bot): readonly BotAction[] {
  const usual = (['start', 'stop', 'restart'] as const).filter((action) => BULK[action].applies(bot));
  return bot.type.startsWith('scheduled/') && bot.enabled ? ['run', ...usual] : usual;
}

/** What can be done with a bot of the fleet, without leaving it. */
export function FleetRowMenu({ bot, isActive }: { readonly bot: Bot; readonly isActive: boolean }) {
  const { socket, who } = useHost();
  const [, go] = useLocation();
  const act = (action: BotAction, undo?: BotAction): void => {
    const { ask, done, failed } = BOT_ACTIONS[action];
    ask(socket, bot.bot_id).then(
      () => toastDone(`${bot.name} ${done}`, undo === undefined ? undefined : () => act(undo)),
      (thrown: unknown) => toastFailed(`${bot.name} ${failed}`, thrown),
    );
  };
  const change = actionsFor(bot).map((action): MenuAction => {
    const Icon = ICONS[action];
    return {
      label: BOT_ACTIONS[action].label,
      icon: <Icon aria-hidden="true" />,
      run: () => act(action, action === 'stop' && bot.status !== 'failed' ? 'start' : undefined),
    };
  });
  const base = `/bots/${bot.bot_id}`;
  const places: readonly MenuAction[] = [
    { label: 'Logs', icon: <ScrollText aria-hidden="true" />, run: () => go(`${base}/logs`) },
    { label: 'Ledger', icon: <Wallet aria-hidden="true" />, run: () => go(`${base}/ledger`) },
    { label: 'Settings', icon: <Settings aria-hidden="true" />, run: () => go(`${base}/settings`) },
  ];
  const mayChange = who.scope !== 'read';
  const copy: MenuAction = {
    label: 'Duplicate…',
    icon: <CopyPlus aria-hidden="true" />,
    run: () => go(duplicateBotAddress(bot)),
  };
  return (
    <ActionsMenu
      label={`Actions for ${bot.name}`}
      tabIndex={isActive ? 0 : -1}
      groups={[mayChange ? change : [], places, mayChange ? [copy] : []]}
    />
  );
}
