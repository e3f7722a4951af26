import { expect, it } from 'vitest';
import { withoutApiKey } from '../../../src/shared/without-api-key.ts';

it('leaves the key of the command line out, in any letters, and all else as it is', () => {
  const env = { PATH: '/bin', PLATFORM_API_KEY: 'plat_x', Platform_Api_Key: 'plat_y', PLATFORM_URL: 'http://x' };
  expect(withoutApiKey(env)).toEqual({ PATH: '/bin', PLATFORM_URL: 'http://x' });
  expect(env.PLATFORM_API_KEY).toBe('plat_x');
});
