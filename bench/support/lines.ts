import { closeSync, openSync, writeSync } from 'node:fs';

const SYMBOLS = ['AAPL', 'MSFT', 'NVDA', 'BTC-USD', 'ETH-USD', 'TSLA'];
const MESSAGES = [
  'fetched prices',
  'order book snapshot',
  'iteration complete',
  'cache hit for daily bars',
  'heartbeat',
];

/** The same lines in every run: 78 % text, 19 % metrics, 2 % with a secret, 1 % long or not ASCII. */
function lineAt(i: number, random: () => number): string {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  const kind = random();
  const symbol = pick(SYMBOLS);
  if (kind < 0.19) {
    const value = (random() * 500).toFixed(2);
    return `{"_metric":"price","symbol":"${symbol}","value":${value},"change_pct":${(random() * 4 - 2).toFixed(3)}}`;
  }
  if (kind < 0.21) return `DEBUG config password=${Math.floor(random() * 2 ** 40).toString(36)}x region=us n=${i}`;
  if (kind < 0.215) return `INFO ${'x'.repeat(900)} n=${i}`;
  if (kind < 0.22) return `INFO Kurs für ${symbol} gestiegen → ${(random() * 100).toFixed(2)} € 📈 n=${i}`;
  const id = Math.floor(random() * 2 ** 32).toString(16);
  return `2026-11-20T14:00:00.000Z INFO [${symbol}] ${pick(MESSAGES)} n=${i} latency_ms=${(random() * 200).toFixed(1)} id=${id}`;
}

/** Writes what bots print, in turn into so many files: about 105 bytes a line. */
export function writeLines(files: readonly string[], lines: number): void {
  let seed = 12_345;
  const random = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
  const open = files.map((file) => ({ fd: openSync(file, 'w'), text: '' }));
  for (let i = 0; i < lines; i++) {
    const one = open[i % open.length];
    if (one === undefined) return;
    one.text += `${lineAt(i, random)}\n`;
    if (one.text.length < 1 << 20) continue;
    writeSync(one.fd, one.text);
    one.text = '';
  }
  for (const { fd, text } of open) {
    writeSync(fd, text);
    closeSync(fd);
  }
}
