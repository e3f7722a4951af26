import { expect, it } from 'vitest';
import { parseEntrypoint } from '../../../src/shared/parse-entrypoint.ts';

it.each([
  ['main.py', 'main.py', null],
  ['./build/bot', 'build/bot', null],
  ['build/app.jar', 'build/app.jar', null],
  ['build/app.jar:com.example.Main', 'build/app.jar', 'com.example.Main'],
  ['a.jar:b.jar:Main', 'a.jar:b.jar', 'Main'],
  ['C:/app.py', 'C:/app.py', null],
])('%s', (entry, file, mainClass) => {
  expect(parseEntrypoint(entry)).toEqual({ file, mainClass });
});
