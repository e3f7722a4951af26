/** Programs whose User-Agent begins as that of every browser does; the first that fits counts, since most also name Chrome or Safari. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Electron\/(\d+)/, 'Desktop app'],
  [/Edg\/(\d+)/, 'Edge'],
  [/Firefox\/(\d+)/, 'Firefox'],
  [/Chrome\/(\d+)/, 'Chrome'],
  [/Version\/(\d+).* Safari\//, 'Safari'],
];

/** The name of a program without its additions; of a browser, which sends much more, name and version. */
export function clientWords(client: string): string {
  if (!client.startsWith('Mozilla/')) return client.replace(/ \(.*\)$/, '');
  for (const [token, browser] of BROWSERS) {
    const version = token.exec(client)?.[1];
    if (version !== undefined) return browser === 'Desktop app' ? browser : `${browser}\u00a0${version}`;
  }
  return client;
}
