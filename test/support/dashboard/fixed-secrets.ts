import type { Secret, VaultInfo } from '../../../src/contract/secrets.ts';
import { FIXED_NAMES } from './places.ts';

const BY_OWNER = { opens: true, created_by: 'ann', rotated_at: null, rotated_by: null } as const;

export const SECRETS: readonly Secret[] = [
  {
    ...BY_OWNER,
    name: 'BINANCE_TEST',
    class: 'paper',
    used_by: [],
    created_at: '2026-03-02T08:00:00.000Z',
  },
  {
    ...BY_OWNER,
    name: 'KRAKEN_KEY',
    class: 'live',
    used_by: [{ bot_id: FIXED_NAMES.well, name: 'sma on SPY' }],
    created_at: '2026-03-02T08:00:00.000Z',
    rotated_at: '2026-03-04T08:00:00.000Z',
    rotated_by: 'ann',
  },
];

export const VAULT: VaultInfo = { key_id: '0f4c2a9be1d37586', open: true, recovery_key_shown_at: null };
/** Of a host that has the data and not the key. */
export const SEALED_VAULT: VaultInfo = { ...VAULT, open: false };

/** In the form of one; it opens nothing. */
export const RECOVERY_KEY = Array.from({ length: 14 }, (_, index) => `7K${String(index + 10)}`).join('-');
