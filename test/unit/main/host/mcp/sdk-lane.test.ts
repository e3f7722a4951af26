import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { expect, it, type TestContext } from 'vitest';
import { z } from 'zod';
import type { Exchange } from '../../../../../src/main/host/mcp/request-context.ts';
import { modernLane, progressLane } from '../../../../../src/main/host/mcp/sdk-lane.ts';
import { READS, tool } from '../../../../../src/main/host/mcp/tool.ts';
import { JSON_HEADERS, message, modern, STREAMS } from '../../../../support/mcp.ts';

type OnTestFinished = TestContext['onTestFinished'];

/** A tool that tells of its progress once before and once after `goOn`. */
function slowTool() {
  const goOn = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const slow = tool({
    name: 'slow',
    title: 'slow',
    audit: ['tried', 'try', 'it'],
    description: 'slow',
    input: z.strictObject({}),
    hints: READS,
    needs: 'auth.status',
    async run(_, caller) {
      caller.progress(1, 2, 'first');
      await goOn.promise;
      caller.progress(2, 2, 'second');
      // As long as a real tool works on after its report: an unhandled rejection shows up meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 20));
      done.resolve();
      return { data: {} };
    },
  });
  return { slow, goOn, done };
}

async function serve(slow: ReturnType<typeof slowTool>, lane: typeof modernLane, onTestFinished: OnTestFinished) {
  const errors: unknown[] = [];
  const exchange = {
    endpoint: {
      auth: { record: () => undefined, recordSoon: () => undefined },
      version: '1.0.0',
      guide: '',
      now: Date.now,
      auditNames: () => ({}),
      onError: (_: string, error: unknown) => errors.push(error),
    },
    surface: { tools: [slow.slow], title: 'test', instructions: '' },
    principal: { userId: 'u', keyId: null, scope: 'full', role: 'owner', botIds: null, method: 'local' },
    context: { client: null, signal: new AbortController().signal },
  } as unknown as Exchange;
  const gone = Promise.withResolvers<void>();
  const server = createServer((asked, answer) => {
    answer.once('close', gone.resolve);
    void (async () => lane(asked, answer, await json(asked), exchange))();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, errors, gone: gone.promise };
}

const CALL = { name: 'slow', arguments: {} };
const LANES = [
  ['2025', progressLane, { body: message('tools/call', { ...CALL, _meta: { progressToken: 1 } }), headers: STREAMS }],
  ['2026', modernLane, modern('tools/call', CALL, { progressToken: 1 })],
] as const;

for (const [revision, lane, { body, headers }] of LANES) {
  it(`a client of ${revision} that leaves in the middle of a call harms nobody`, async ({ onTestFinished }) => {
    const faults: unknown[] = [];
    const fault = (error: unknown): void => void faults.push(error);
    process.on('unhandledRejection', fault);
    onTestFinished(() => void process.off('unhandledRejection', fault));
    const slow = slowTool();
    const { port, errors, gone } = await serve(slow, lane, onTestFinished);
    const ask = () => {
      const sent = request({ port, method: 'POST', headers: { ...JSON_HEADERS, ...headers } });
      sent.on('error', () => undefined);
      sent.end(JSON.stringify(body));
      return sent;
    };
    const leaving = ask();
    const [answer] = (await once(leaving, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined);
    expect(String((await once(answer, 'data'))[0])).toContain('first');
    leaving.destroy();
    await gone;
    slow.goOn.resolve();
    await slow.done.promise;

    const [next] = (await once(ask(), 'response')) as [IncomingMessage];
    expect(await text(next)).toContain('second');
    expect([faults, errors]).toEqual([[], []]);
  });
}
