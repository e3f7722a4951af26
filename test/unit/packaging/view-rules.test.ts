import { expect, it } from 'vitest';
import { LIMITS } from '../../../src/contract/limits.ts';
import { checkView } from '../../../src/packaging/view-rules.ts';

const check = (files: Readonly<Record<string, string | Uint8Array>>) =>
  checkView({
    paths: Object.keys(files),
    read: async (path, most) => Buffer.from(files[path] ?? '').subarray(0, most),
  });

const GOOD = '<!doctype html><title>v</title><p>Prices</p><script>1 < 2</script>';

it('takes one document', async () => {
  expect(await check({ 'bot.py': '', 'view/index.html': GOOD })).toEqual([]);
});

it('takes a folder without a document for a module of the bot', async () => {
  expect(await check({ 'view/__init__.py': '', 'view/page.html': '' })).toEqual([]);
});

it('finds a document that is spelt otherwise', async () => {
  const [problem] = await check({ 'view/Index.htm': GOOD });
  expect(problem?.hint).toBe('Rename view/Index.htm to view/index.html.');
});

it('refuses other files beside it, and names five', async () => {
  const beside = Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`view/a/${n}.js`, '']));
  const problems = await check({ 'view/index.html': GOOD, ...beside });
  expect(problems.map(({ file }) => file)).toEqual([0, 1, 2, 3, 4].map((n) => `view/a/${n}.js`));
});

it('refuses what is larger than 2 MiB by one byte, and takes what is not', async () => {
  const most = GOOD.padEnd(LIMITS.viewBytes);
  expect(await check({ 'view/index.html': most })).toEqual([]);
  expect((await check({ 'view/index.html': `${most} ` }))[0]?.message).toBe('the view is larger than 2 MiB');
});

it('refuses what is not UTF-8, with the line', async () => {
  const bytes = Buffer.concat([Buffer.from('<p>\n'), Buffer.from([0xff, 0xfe])]);
  expect(await check({ 'view/index.html': bytes })).toMatchObject([
    { line: 2, message: 'view/index.html is not UTF-8 text' },
  ]);
});

it('refuses pages inside, with the place', async () => {
  const [problem] = await check({ 'view/index.html': '<p>\n  <iframe src="x"></iframe>' });
  expect(problem).toMatchObject({ line: 2, column: 3, message: 'a view may not have the element <iframe>' });
});
