import { expect, it } from 'vitest';
import { installSheet, permitLine, permitLines, sheetSummary } from '../../../src/shared/permit-words.ts';

const KRAKEN = { host: 'api.kraken.com', port: 443, tls: true };
const PLAIN = { host: 'prices.example.com', port: 80, tls: false };

it('says each permit in a line', () => {
  expect(permitLines({ network: [KRAKEN, PLAIN], local: [7497], secrets: ['KEY'], memory_mb: 300 })).toEqual([
    'network: api.kraken.com, port 443, with TLS',
    'network: prices.example.com, port 80, without TLS',
    'local: port 7497 of this machine and of its local network',
    'secret: KEY',
    'memory: 300 MB',
  ]);
});

it('tells what a version wants beyond the one before, and what it wants no more', () => {
  const before = { version: '1.0.0', permits: { network: [KRAKEN], secrets: ['OLD'] } };
  const sheet = installSheet({ version: '1.1.0', permits: { network: [KRAKEN, PLAIN] } }, before);
  expect(sheet).toMatchObject({ declares: true, since: '1.0.0', removed: ['secret: OLD'] });
  expect(sheet.added).toEqual(['network: prices.example.com, port 80, without TLS']);
});

it('shows loosened TLS as a change', () => {
  const before = { version: '1.0.0', permits: { network: [KRAKEN] } };
  const { added, removed } = installSheet(
    { version: '1.1.0', permits: { network: [{ ...KRAKEN, tls: false }] } },
    before,
  );
  expect([added, removed]).toEqual([
    ['network: api.kraken.com, port 443, without TLS'],
    ['network: api.kraken.com, port 443, with TLS'],
  ]);
});

it('has nothing to compare a first version with', () => {
  expect(installSheet({ version: '1.0.0', permits: { network: [KRAKEN] } }, null)).toMatchObject({
    since: null,
    added: [],
  });
});

it('tells a version that asks for nothing from one that does not say', () => {
  expect(sheetSummary(installSheet({ version: '1.0.0', permits: {} }, null))).toContain('asks for nothing');
  expect(sheetSummary(installSheet({ version: '1.0.0', permits: null }, null))).toContain('declares no permits');
});

it('writes the line that allows a destination so that YAML reads it', () => {
  expect(permitLine(KRAKEN)).toBe('- {host: api.kraken.com, port: 443, tls: true}');
  expect(permitLine({ ...KRAKEN, host: '*.kraken.com' })).toBe('- {host: "*.kraken.com", port: 443, tls: true}');
});

it('the sheet names the interpreter of a package, and that it is another one than before', () => {
  const before = { version: '1.0.0', permits: null, interpreter: 'awk' };
  const sheet = installSheet({ version: '1.1.0', permits: { network: [] }, interpreter: 'bash' }, before);
  expect(sheet).toMatchObject({
    wants: ['interpreter: bash'],
    added: ['interpreter: bash'],
    removed: ['interpreter: awk'],
  });
});
