import type { CustomBotSummary, CustomBotVersion } from '../../../contract/custom-bot.ts';

/** What every tab of a custom bot is given. */
export interface CustomBotTab {
  readonly summary: CustomBotSummary;
  /** The version that was chosen. */
  readonly version: CustomBotVersion;
  readonly reload: () => void;
}
