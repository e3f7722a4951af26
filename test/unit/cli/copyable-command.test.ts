import { describe, expect, it } from 'vitest';
import { commandName, quoted, typed, typedHint } from '../../../src/cli/copyable-command.ts';

const PLAIN = commandName({});

describe('quoted', () => {
  it.each([
    ['my-bot/instance.json', 'my-bot/instance.json'],
    ['My Bot', '"My Bot"'],
    ['Jürgens', '"Jürgens"'],
    ['', '""'],
    ['it\'s "$5"', `'it'\\''s "$5"'`],
    ['~', '"~"'],
  ])('%j is one word for a shell as %s', (text, expected) => {
    expect(quoted(text, 'linux')).toBe(expected);
  });

  it('uses what every Windows shell takes there', () => {
    expect(quoted('C:\\bots\\x', 'win32')).toBe('C:\\bots\\x');
    expect(quoted('C:\\my bots\\x', 'win32')).toBe('"C:\\my bots\\x"');
  });
});

describe('typed', () => {
  it('is npx platform where npm or npx started this', () => {
    expect(typed(PLAIN, 'bot list')).toBe('platform bot list');
    for (const npm_lifecycle_event of ['npx', 'start', 'demo']) {
      expect(typed(commandName({ npm_lifecycle_event }), 'bot list')).toBe('npx platform bot list');
    }
  });

  it('leads to the same host again, where a host is reached', () => {
    const name = commandName({}, { data: '/a b', url: 'http://h:1' });
    expect(typed(name, 'bot logs', 'sma live', '-w')).toBe(
      'platform --data "/a b" --url http://h:1 bot logs "sma live" -w',
    );
    expect(typed(name, 'start')).toBe('platform --data "/a b" start');
    expect(typed(name, 'init', 'x')).toBe('platform init x');
    expect(typed(name, 'bot list --help')).toBe('platform bot list --help');
  });
});

describe('typedHint', () => {
  const about = commandName({ npm_lifecycle_event: 'npx' }, { bot: 'sma live' });

  it('fills in the bot that is known, and adds it where it was left out', () => {
    expect(typedHint(about, 'List with `platform bot state <bot_id>`.')).toBe(
      'List with `npx platform bot state "sma live"`.',
    );
    expect(typedHint(about, 'Use `platform bot start`.')).toBe('Use `npx platform bot start "sma live"`.');
    expect(typedHint(about, 'See `platform bot list`.')).toBe('See `npx platform bot list`.');
  });

  it('gives no address twice', () => {
    const there = commandName({}, { url: 'http://h:1' });
    expect(typedHint(there, '`platform auth login --url http://h:1`')).toBe('`platform auth login --url http://h:1`');
  });

  it('leads to another folder where a hint names one', () => {
    const there = commandName({}, { data: '/copy', url: 'http://h:1' });
    expect(typedHint(there, '`platform stop --data /first`')).toBe('`platform stop --data /first`');
    expect(typedHint(there, '`platform stop`')).toBe('`platform --data /copy --url http://h:1 stop`');
  });

  it('leaves the rest of a hint alone', () => {
    expect(typedHint(PLAIN, 'The platform says `no`; `platform bot state <bot_id>`.')).toBe(
      'The platform says `no`; `platform bot state <bot_id>`.',
    );
    expect(typedHint({ ...about, bot: '$&' }, '`platform bot state <bot>`')).toBe(`\`npx platform bot state '$&'\``);
  });
});
