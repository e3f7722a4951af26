import { expect, it } from 'vitest';
import { startHostChild } from '../../../../src/main/desktop/host-child.ts';

it('an installation without a Node says so, and what to do', async () => {
  const started = startHostChild({
    ...{ node: null, serveFile: '/serve.js', dataDir: '/data', flags: [], lastPort: null, env: {} },
    giveUp: new AbortController().signal,
  });
  await expect(started).rejects.toMatchObject({ code: 'INTERNAL', hint: 'Install Bot Platform again.' });
});
