import type { CustomBotSummary, DescribedVersion } from '../../../contract/custom-bot.ts';

/** Properties of every tab of a custom bot. */
export interface CustomBotTab {
  readonly summary: CustomBotSummary;
  /** The chosen version. */
  readonly version: DescribedVersion;
  readonly reload: () => void;
}
