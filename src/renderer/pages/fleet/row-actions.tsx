import { CopyPlus, Play, RotateCw, ScrollText, Settings, Square, Wallet, Zap } from 'lucide-react';
import { useLocation } from 'wouter';
import type { Bot, BotHold } from '../../../contract/bot.ts';
import { waitsToBeArmed } from '../../../shared/approval-words.ts';
import type { MenuAction } from '../../components/actions-menu.tsx';
import { useHost } from '../../data/connection-and-user.ts';
import { duplicateBotAddress } from '../../data/duplicate-bot-address.ts';
import { BOT_ACTIONS, type BotAction } from '../../data/start-stop-actions.ts';
import { toastDone, toastFailed } from '../../data/toasts.ts';
import { BULK } from './bulk-actions.ts';

const ICONS = { start: Play, stop: Square, restart: RotateCw, run: Zap } as const;

/** The actions that make sense for a bot as it is. One that waits to be armed is started by that. */
function actionsFor(bot: Bot): readonly BotAction[] {
  const usual = (['start', 'stop', 'restart'] as const).filter(
    (action) => BULK[action].applies(bot) && !(action === 'start' && waitsToBeArmed(bot)),
  );
  return bot.type.startsWith('scheduled/') && bot.enabled ? ['run', ...usual] : usual;
}

/** What can be done with a bot of the fleet without leaving it, in groups. */
export interface RowActions {
  /** What changes it; empty for a user who may not. */
  readonly change: readonly MenuAction[];
  /** Where more of it is. */
  readonly places: readonly MenuAction[];
  /** What makes others of it; empty for a user who may not. */
  readonly copy: readonly MenuAction[];
}

/**
 * The actions on a bot, for the menu of its row and for the panel beside the table. `hold`: what its place shows to hold the bot,
 * which a start ends.
 */
export function useRowActions(bot: Bot, hold: BotHold | null = null): RowActions {
  const { socket, who } = useHost();
  const [, go] = useLocation();
  const act = (action: BotAction, undo?: BotAction): void => {
    const { ask, done, failed } = BOT_ACTIONS[action];
    ask(socket, bot.bot_id, hold).then(
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
  const copy: MenuAction = {
    label: 'Duplicate…',
    icon: <CopyPlus aria-hidden="true" />,
    run: () => go(duplicateBotAddress(bot)),
  };
  const mayChange = who.scope !== 'read';
  return { change: mayChange ? change : [], places, copy: mayChange ? [copy] : [] };
}
