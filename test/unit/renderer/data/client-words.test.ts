import { expect, it } from 'vitest';
import { clientWords } from '../../../../src/renderer/data/client-words.ts';

it.each([
  ['curl/8.14.1', 'curl/8.14.1'],
  ['platform-cli (node 24.21.0)', 'platform-cli'],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36',
    'Chrome\u00a0156',
  ],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0', 'Edge\u00a0140'],
  [
    'Mozilla/5.0 (X11) AppleWebKit/537.36 bot-platform/0.1 Chrome/140.0.0.0 Electron/38.1.0 Safari/537.36',
    'Desktop app',
  ],
  ['Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15', 'Safari\u00a018'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox\u00a0140'],
  ['Mozilla/5.0 of something else', 'Mozilla/5.0 of something else'],
])('calls %s by a short name', (client, words) => {
  expect(clientWords(client)).toBe(words);
});
