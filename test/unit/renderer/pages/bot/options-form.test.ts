import { describe, expect, it } from 'vitest';
import { BotOptions } from '../../../../../src/contract/bot.ts';
import {
  isChanged,
  NUMBER_FIELDS,
  numberFieldsOf,
  overStored,
  readForm,
  storedOf,
  toForm,
} from '../../../../../src/renderer/pages/bot/options-form.ts';

describe('options form', () => {
  it('knows every option of the contract, with its bounds', () => {
    expect(Object.keys(toForm({})).sort()).toEqual(Object.keys(BotOptions.shape).sort());
    for (const { name, min, max, whole } of NUMBER_FIELDS) {
      const takes = (value: number) => BotOptions.safeParse({ [name]: value }).success;
      const step = whole ? 1 : 0.01;
      expect([name, takes(min), takes(max), takes(min - step), takes(max + step)]).toEqual([
        name,
        true,
        true,
        false,
        false,
      ]);
    }
  });
  it('gives back what it was made of', () => {
    const options: BotOptions = { engine: 'docker', cpus: 0.5, memory_mb: 256, network: 'none', catch_up: 'skip' };
    expect(readForm(toForm(options))).toEqual({ options, problems: new Map() });
    expect(isChanged(toForm(options), options)).toBe(false);
    expect(isChanged({ ...toForm(options), memory_mb: '' }, options)).toBe(true);
  });
  it('leaves out what is empty and names what is wrong', () => {
    const { options, problems } = readForm({
      ...toForm({}),
      memory_mb: '8',
      cpus: 'much',
      max_processes: '1.5',
      tmp_mb: ' 64 ',
    });
    expect(options).toEqual({ tmp_mb: 64 });
    expect([...problems.keys()].sort()).toEqual(['cpus', 'max_processes', 'memory_mb']);
  });
  it('has a time-out for scheduled bots only', () => {
    const names = (type: string) => numberFieldsOf({ type }).map((field) => field.name);
    expect(names('scheduled/a')).toContain('timeout_sec');
    expect(names('realtime/a')).not.toContain('timeout_sec');
  });
});

describe('options that were touched', () => {
  it('do not undo what was changed elsewhere', () => {
    const touched = { cpus: '2' };
    expect(readForm(overStored(touched, { cpus: 1, memory_mb: 256 })).options).toEqual({ cpus: 2, memory_mb: 256 });
    expect(readForm(overStored({ cpus: '' }, { cpus: 1, network: 'none' })).options).toEqual({ network: 'none' });
  });

  it('stand as they were stored after a save', () => {
    const touched = storedOf({ cpus: '2.0', memory_mb: '' }, { cpus: 2 });
    expect(touched).toEqual({ cpus: '2', memory_mb: '' });
    expect(isChanged(overStored(touched, { cpus: 2 }), { cpus: 2 })).toBe(false);
  });
});
