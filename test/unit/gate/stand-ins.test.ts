import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isStandIn, StandIns, standInFile } from '../../../src/gate/stand-ins.ts';
import { tempDir } from '../../support/temp.ts';

function folder(): string {
  const dir = tempDir('stand-ins-');
  mkdirSync(join(dir, 'names'));
  return dir;
}

it('an address stands for the same name, and for no other, also after the gate starts again', () => {
  const dir = folder();
  const first = new StandIns(dir, 'bot_1', () => undefined);
  const [a, b] = [first.of('a.test'), first.of('b.test')];
  expect([a, b, first.of('a.test')]).toEqual(['198.18.0.1', '198.18.0.2', a]);
  const second = new StandIns(dir, 'bot_1', () => undefined);
  expect([second.of('c.test'), second.nameOf(a), second.of('b.test')]).toEqual(['198.18.0.3', 'a.test', b]);
  expect(new StandIns(dir, 'bot_2', () => undefined).nameOf(a)).toBeNull();
});

it('a program that looks up very many names begins again, with addresses that were not given lately', () => {
  const dir = folder();
  const names = new StandIns(dir, 'bot_1', () => undefined);
  for (let at = 0; at < 10_001; at += 1) names.of(`n${at}.test`);
  expect([names.nameOf('198.18.0.1'), names.nameOf('198.18.39.17')]).toEqual([null, 'n10000.test']);
  expect(readFileSync(standInFile(dir, 'bot_1'), 'utf8')).toBe('10000 n10000.test\n');
});

it('a disk that takes no name keeps none from a program', () => {
  const said: string[] = [];
  const names = new StandIns(join(folder(), 'gone'), 'bot_1', (text) => said.push(text));
  expect(names.nameOf(names.of('a.test'))).toBe('a.test');
  expect(said).toEqual([expect.stringContaining('not kept')]);
});

it('knows which addresses stand for names', () => {
  expect(['198.18.0.1', '198.19.255.255', '198.20.0.1', '8.8.8.8'].map(isStandIn)).toEqual([true, true, false, false]);
});
