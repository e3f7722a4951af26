import { describe, expect, it } from 'vitest';
import { DEFAULT_PREFERENCES } from '../../../src/contract/preference-choices.ts';
import { PreferenceChange, readPreferences } from '../../../src/contract/preferences.ts';

describe('preferences', () => {
  it('are read as far as this release knows them', () => {
    expect(readPreferences(null)).toEqual(DEFAULT_PREFERENCES);
    const stored = { theme: 'dark', zone: 'mars', fleet_columns: ['cpu', 'gone'], log_wrap: true, later: 1 };
    expect(readPreferences(stored)).toEqual({ ...DEFAULT_PREFERENCES, theme: 'dark', log_wrap: true });
  });

  it('take nothing that is unknown or has no bound', () => {
    expect(PreferenceChange.safeParse({ fleet_metric: 'x'.repeat(201) }).success).toBe(false);
    expect(PreferenceChange.safeParse({ notes: 'x' }).success).toBe(false);
    expect(PreferenceChange.safeParse({ fleet_columns: Array(9).fill('cpu') }).success).toBe(false);
    expect(PreferenceChange.safeParse({ muted_bots: Array(1001).fill('bot_a') }).success).toBe(false);
    expect(PreferenceChange.safeParse({ fleet_metric: null, theme: 'light' }).success).toBe(true);
  });
});
