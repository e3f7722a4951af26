import type { RowSeal } from '../../src/main/host/control/row-seal.ts';

/** Stores secrets as they are. */
export const noSeal: RowSeal = {
  sealConfig: (_, config) => config,
  openConfig: (_, config) => config,
  sealTexts: (_, texts) => JSON.stringify(texts),
  openTexts: (_, stored) => JSON.parse(stored),
};
