import { closeSync, openSync, readSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkExecutable, HEADER_BYTES, readExecutable } from '../../../src/packaging/executable-header.ts';

const LINUX = { os: 'linux', arch: 'x64' };

function elf(machine: number, type = 2, little = true): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.write('\x7fELF', 'latin1');
  bytes[4] = 2;
  bytes[5] = little ? 1 : 2;
  if (little) bytes.writeUInt16LE(type, 16);
  else bytes.writeUInt16BE(type, 16);
  if (little) bytes.writeUInt16LE(machine, 18);
  else bytes.writeUInt16BE(machine, 18);
  return bytes;
}

function macho(cpu: number, type = 2): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32LE(0xfeedfacf, 0);
  bytes.writeUInt32LE(cpu, 4);
  bytes.writeUInt32LE(type, 12);
  return bytes;
}

function universal(...cpus: number[]): Buffer {
  const bytes = Buffer.alloc(8 + cpus.length * 20);
  bytes.writeUInt32BE(0xcafebabe, 0);
  bytes.writeUInt32BE(cpus.length, 4);
  for (const [i, cpu] of cpus.entries()) bytes.writeUInt32BE(cpu, 8 + i * 20);
  return bytes;
}

function pe(machine: number, flags = 0x22): Buffer {
  const bytes = Buffer.alloc(256);
  bytes.write('MZ', 'latin1');
  bytes.writeUInt32LE(128, 60);
  bytes.write('PE\0\0', 128, 'latin1');
  bytes.writeUInt16LE(machine, 132);
  bytes.writeUInt16LE(flags, 150);
  return bytes;
}

describe('readExecutable', () => {
  it('reads the program that runs this test as made for this machine', () => {
    const bytes = Buffer.alloc(HEADER_BYTES);
    const file = openSync(process.execPath, 'r');
    readSync(file, bytes);
    closeSync(file);
    expect(readExecutable(bytes)).toMatchObject({
      os: process.platform,
      archs: expect.arrayContaining([process.arch]),
    });
    expect(checkExecutable(bytes, { os: process.platform, arch: process.arch }, 'node')).toBeNull();
  });

  it.each([
    ['ELF x64', elf(62), 'ELF', 'linux', ['x64']],
    ['ELF arm64', elf(183), 'ELF', 'linux', ['arm64']],
    ['ELF big endian', elf(22, 2, false), 'ELF', 'linux', ['s390x']],
    ['Mach-O arm64', macho(0x0100000c), 'Mach-O', 'darwin', ['arm64']],
    ['universal Mach-O', universal(0x01000007, 0x0100000c), 'Mach-O', 'darwin', ['x64', 'arm64']],
    ['PE x64', pe(0x8664), 'PE', 'win32', ['x64']],
  ])('%s', (_what, bytes, format, os, archs) => {
    expect(readExecutable(bytes)).toEqual({ format, os, archs });
  });

  it('cut files are no executables', () => {
    for (const whole of [elf(62), macho(7), universal(7), pe(0x8664)])
      for (const length of [0, 1, 3, 4, 6, 12]) expect(readExecutable(whole.subarray(0, length))).toBeNull();
  });
});

describe('checkExecutable says what was found', () => {
  it.each([
    [
      'a script',
      Buffer.from('#!/bin/sh\necho'),
      'build/x is a script (#!/bin/sh); bots run here as ELF programs for linux x64',
    ],
    [
      'source',
      Buffer.from('int main() {}\n'),
      'build/x is a text file, perhaps the source; bots run here as ELF programs for linux x64',
    ],
    ['nothing', Buffer.alloc(0), 'build/x is an empty file; bots run here as ELF programs for linux x64'],
    [
      'a jar',
      Buffer.from('PK\u0003\u0004....'),
      'build/x is a zip or jar archive; bots run here as ELF programs for linux x64',
    ],
    [
      'a class',
      Buffer.from([0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61]),
      'build/x is a Java class file; bots run here as ELF programs for linux x64',
    ],
    ['another processor', elf(183), 'build/x is ELF for linux arm64; bots run here as ELF programs for linux x64'],
    [
      'another system',
      macho(0x01000007),
      'build/x is Mach-O for darwin x64; bots run here as ELF programs for linux x64',
    ],
    ['windows', pe(0x8664), 'build/x is PE for win32 x64; bots run here as ELF programs for linux x64'],
    [
      'an object file',
      elf(62, 1),
      'build/x is an object file that was not linked (ELF for linux x64); bots run here as ELF programs for linux x64',
    ],
  ])('%s', (_what, bytes, message) => {
    expect(checkExecutable(bytes, LINUX, 'build/x')?.message).toBe(message);
    expect(checkExecutable(bytes, LINUX, 'build/x')?.hint.length).toBeGreaterThan(10);
  });

  it('a fitting one is fine, also inside a universal file', () => {
    expect(checkExecutable(elf(62, 3), LINUX, 'x')).toBeNull();
    expect(checkExecutable(universal(7, 0x0100000c), { os: 'darwin', arch: 'arm64' }, 'x')).toBeNull();
  });
});

describe('of a script, the hint names the runtime for it', () => {
  const hint = (text: string): string =>
    checkExecutable(Buffer.from(text), { os: 'linux', arch: 'x64' }, 'bot')?.hint ?? '';

  it.each([
    ['#!/bin/bash\necho', 'bash'],
    ['#! /usr/bin/awk -f\n', 'awk'],
    ['#!/usr/bin/env ruby\r\n', 'ruby'],
    ['#!/usr/bin/env -S php8.2 -n\n', 'php8.2'],
    ['#!lua', 'lua'],
  ])('%j', (text, interpreter) => {
    expect(hint(text)).toContain(`runtime: command and command: {interpreter: ${interpreter}}`);
  });

  it.each([
    '#!\n',
    '#!/bin/\n',
    '#!/usr/bin/env\n',
    '#!/bin/-c\n',
    '#!/bin/a;b\n',
    `#!/bin/${'a'.repeat(100)}\n`,
    'echo',
  ])('but not of %j, which names none', (text) => {
    expect(hint(text)).toContain('Build the bot first');
  });
});
