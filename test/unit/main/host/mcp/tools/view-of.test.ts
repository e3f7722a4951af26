import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../../../../src/contract/errors.ts';
import type { ToolCaller } from '../../../../../../src/main/host/mcp/tool.ts';
import { BOT_QUERY } from '../../../../../../src/main/host/mcp/tools/bot-query.ts';

const ANSWERS: Record<string, unknown> = {
  'bots.query': { result: { well: true }, duration_ms: 3 },
  'bots.get': { type: 'custom/viewed', version: '1.0.0' },
  'custom_bots.view': { html: '<!doctype html>' },
};

/** The answer to a query whose host fails with `error` when it is asked for `failing`. */
function asked(failing: string | null, error: Error) {
  const call = (name: string) => (name === failing ? Promise.reject(error) : Promise.resolve(ANSWERS[name]));
  return BOT_QUERY.run({ bot_id: 'bot_1', query_path: '/status' }, { call } as unknown as ToolCaller);
}

describe('the view beside the answer to a query', () => {
  it('is that of the version of the bot', async () => {
    expect((await asked(null, new Error('none'))).view).toBe('ui://bots/viewed/1.0.0/view');
  });

  it.each(['bots.get', 'custom_bots.view'])(
    'is left out where the host refuses %s, with the answer whole',
    async (failing) => {
      for (const code of ['BOT_NOT_FOUND', 'FORBIDDEN', 'RATE_LIMITED', 'INTERNAL'] as const) {
        const { view, data } = await asked(failing, new PlatformError(code, 'refused'));
        expect({ view, result: data.result }, code).toEqual({ view: null, result: { well: true } });
      }
    },
  );

  it.each(['bots.get', 'custom_bots.view'])('hides no defect in %s', async (failing) => {
    await expect(asked(failing, new TypeError('a defect'))).rejects.toThrow('a defect');
  });
});
