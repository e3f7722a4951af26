import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isTrustedLink, SITES } from '../../../../src/main/desktop/trusted-link.ts';

describe('isTrustedLink', () => {
  it('knows the sites that our own texts name, over https alone', () => {
    expect(isTrustedLink('https://nodejs.org/en/download?x=1#y')).toBe(true);
    for (const address of [
      'http://nodejs.org/',
      'https://nodejs.org:8443/',
      'https://me:secret@nodejs.org/',
      'https://nodejs.org.evil.example/',
      'https://evil.example/nodejs.org',
      'https://sub.nodejs.org/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'smb://nodejs.org/share',
      'nodejs.org',
      '',
    ]) {
      expect([address, isTrustedLink(address)]).toEqual([address, false]);
    }
  });
});

describe('the sites that are opened', () => {
  it('are those that our own texts name, and no others', () => {
    const src = join(import.meta.dirname, '../../../../src');
    const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('trusted-link.ts'))
      .map((file) => readFileSync(join(src, file), 'utf8'))
      .join('\n');
    expect([...SITES].filter((site) => !texts.includes(`https://${site}`))).toEqual([]);
  });
});
