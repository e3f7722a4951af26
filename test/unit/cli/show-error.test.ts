import { describe, expect, it } from 'vitest';
import { commandName } from '../../../src/cli/copyable-command.ts';
import { EXIT, exitCodeOf } from '../../../src/cli/exit-codes.ts';
import { RemoteError } from '../../../src/cli/host-answer.ts';
import { showError } from '../../../src/cli/show-error.ts';
import { UsageError } from '../../../src/cli/usage-error.ts';
import { moreProblems } from '../../../src/contract/cut-problem-list.ts';
import { ERROR_RULES, type ErrorCode, invalid, PlatformError } from '../../../src/contract/errors.ts';

function shown(error: unknown, json = false): { code: number; text: string } {
  let text = '';
  const note = (line: string): void => {
    text += `${line}\n`;
  };
  return { code: showError(error, { json, colours: false, note }), text };
}

describe('exitCodeOf', () => {
  it('has one for every error code', () => {
    const codes = Object.keys(ERROR_RULES) as ErrorCode[];
    const by = Map.groupBy(codes, exitCodeOf);
    expect(by.get(EXIT.denied)).toEqual([
      'AUTHENTICATION_REQUIRED',
      'INVALID_API_KEY',
      'INVALID_CREDENTIALS',
      'FORBIDDEN',
      'SESSION_REQUIRED',
      'PIN_REQUIRED',
      'WRONG_PIN',
      'PIN_RESET',
      'DELETED_BY_PERSON',
      'ISOLATION_REQUIRED',
      'INTERPRETER_NOT_ALLOWED',
    ]);
    expect(by.get(EXIT.notFound)?.every((code) => code.endsWith('_NOT_FOUND'))).toBe(true);
    expect(by.get(EXIT.notFound)).toContain('BOT_NOT_FOUND');
    expect(by.get(EXIT.conflict)).toEqual([
      'VERSION_EXISTS',
      'VERSION_IN_USE',
      'NAME_TAKEN',
      'CHANNEL_BUSY',
      'SECRET_IN_USE',
      'FILE_CHANGED',
      'IDEMPOTENCY_CONFLICT',
      'STALE_GENERATION',
      'BOT_NOT_RUNNING',
      'BOT_RUNNING',
      'BOT_HELD',
      'HOLD_UNREAD',
      'HOST_RUNNING',
      'COPIED',
      'NEEDS_ARMING',
      'SECRETS_SEALED',
      'INTERPRETER_UNUSABLE',
      'RECOVERY_KEY_SHOWN',
    ]);
    expect(by.get(EXIT.unavailable)).toEqual([
      'RATE_LIMITED',
      'ENGINE_UNAVAILABLE',
      'HOST_UNREACHABLE',
      'QUERY_TIMEOUT',
    ]);
    expect(by.get(EXIT.queryFailed)).toEqual(['QUERY_FAILED']);
    expect(by.get(EXIT.internal)).toEqual(['INTERNAL', 'DATA_DAMAGED', 'STORAGE_FULL']);
    expect(by.get(EXIT.usage)).toEqual(expect.arrayContaining(['INVALID_REQUEST', 'INVALID_CONFIG', 'TOO_LARGE']));
    expect(by.has(EXIT.ok)).toBe(false);
  });
});

describe('showError', () => {
  it('says what happened, what to do, the code and the request', () => {
    const error = new RemoteError('NAME_TAKEN', 'The name is taken', { hint: 'Choose another one.' }, 'req_7');
    expect(shown(error)).toEqual({
      code: 5,
      text: 'error: The name is taken\n  Choose another one.\n  code NAME_TAKEN, request req_7\n',
    });
  });

  it('lists several problems with what to do about each, and none twice', () => {
    const error = invalid('INVALID_CONFIG', [
      { path: 'config.short_period', message: 'must be at least 2', hint: 'Use 2 to 50.' },
      { path: 'config.symbol', message: 'is missing' },
    ]);
    expect(shown(error).text.split('\n')).toEqual([
      'error: The configuration has 2 problems:',
      '  - config.short_period: must be at least 2',
      '    Use 2 to 50.',
      '  - config.symbol: is missing',
      '  code INVALID_CONFIG',
      '',
    ]);
  });

  it('counts the problems that the last one of a cut list stands for', () => {
    const error = invalid('INVALID_CONFIG', [
      { path: 'config.a', message: 'is missing' },
      { path: 'config', message: moreProblems(150) },
    ]);
    expect(error.message).toBe('config.a: is missing (and 150 more)');
    expect(shown(error).text).toContain('error: The configuration has 151 problems:');
  });

  it('keeps lines, and lets nothing through that moves the cursor', () => {
    const text = shown(new PlatformError('INTERNAL', 'one\ntwo\u001b[2J', { hint: 'a\rb' })).text;
    expect(text).toBe('error: one\n  two␛[2J\n  a␍b\n  code INTERNAL\n');
  });

  it('writes the commands of a hint as they are typed here, about the bot at hand', () => {
    let text = '';
    const note = (line: string): void => {
      text += line;
    };
    const out = { json: false, colours: false, note };
    const name = commandName({ npm_lifecycle_event: 'npx' }, { data: '/my data', bot: 'sma live' });
    showError(new PlatformError('STATE_KEY_NOT_FOUND'), out, name);
    expect(text).toContain('`npx platform --data "/my data" bot state "sma live"`');
    text = '';
    showError(new UsageError('No.', 'bot list'), out, name);
    expect(text).toContain('Help: npx platform bot list --help');
  });

  it('gives the one error object with --json', () => {
    const error = new RemoteError('BOT_NOT_FOUND', 'Bot not found', { details: { a: 1 } }, 'req_8');
    const { code, text } = shown(error, true);
    expect(code).toBe(4);
    expect(JSON.parse(text)).toEqual({
      error: {
        code: 'BOT_NOT_FOUND',
        message: 'Bot not found',
        hint: 'List your bots with `platform bot list`.',
        details: { a: 1 },
        request_id: 'req_8',
      },
    });
  });

  it('tells usage errors with the way to the help', () => {
    expect(shown(new UsageError('There is no option --x.', 'bot list'))).toEqual({
      code: 2,
      text: 'error: There is no option --x.\n  Help: platform bot list --help\n',
    });
    expect(JSON.parse(shown(new UsageError('No.'), true).text).error).toMatchObject({
      code: 'INVALID_REQUEST',
      hint: 'Help: platform --help',
    });
  });

  it('tells a refusal of the system apart from a fault of its own', () => {
    const refused = Object.assign(new Error('EACCES: permission denied'), { syscall: 'open', code: 'EACCES' });
    expect(shown(refused)).toMatchObject({ code: 1, text: expect.stringContaining('operating system refused') });
    expect(shown(new TypeError('x is not a function'))).toMatchObject({
      code: 1,
      text: expect.stringContaining('Please report it'),
    });
  });
});
