import { describe, expect, it } from 'vitest';
import { BotConfig, BotMetadata, Entrypoints, NamedInterpreter } from '../../../../../../src/contract/custom-bot.ts';
import { Permits } from '../../../../../../src/contract/permits.ts';
import { CONFIG_FIELDS, suggestionsAt } from '../../../../../../src/renderer/pages/editor/monaco/bot-config-fields.ts';

describe('fields of bot-config.yaml', () => {
  it('are those of the contract', () => {
    const under = (group: string, shape: object): string[] => Object.keys(shape).map((key) => `${group}.${key}`);
    const known = [
      ...Object.keys(BotConfig.shape),
      ...under('entrypoints', Entrypoints.shape),
      ...under('command', NamedInterpreter.shape),
      ...under('metadata', BotMetadata.shape),
      ...under('permits', Permits.shape),
      'schema.bot',
    ];
    expect(CONFIG_FIELDS.map(({ path }) => path).sort()).toEqual(known.sort());
  });

  it('are offered where they are missing, by their group, with the values they may have', () => {
    const above = ['name: a', 'entrypoints:', '  bot: bot.py'];
    const labels = (typed: string): string[] =>
      suggestionsAt(above, typed, [...above, typed]).map(({ label }) => label);
    expect(labels('ver')).toContain('version');
    expect(labels('')).not.toContain('name');
    expect(labels('  ')).toEqual(['query']);
    expect(labels('type: ')).toEqual(['realtime', 'scheduled']);
    expect(labels('description: some words')).toEqual([]);
  });
});
