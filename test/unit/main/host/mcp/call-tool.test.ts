import { expect, it } from 'vitest';
import { z } from 'zod';
import { callTool } from '../../../../../src/main/host/mcp/call-tool.ts';
import { READS, type ToolAnswer, type ToolCaller, tool } from '../../../../../src/main/host/mcp/tool.ts';
import { logLink } from '../../../../../src/main/host/mcp/tools/records.ts';

const answering = (answer: () => ToolAnswer) =>
  tool({
    name: 'one',
    title: 'one',
    audit: ['tried', 'try', 'it'],
    description: 'one',
    input: z.strictObject({}),
    hints: READS,
    needs: 'auth.status',
    run: () => Promise.resolve(answer()),
  });

const caller = {} as ToolCaller;

it('keeps a result for the same data with the same links, and for no others', async () => {
  const data = { bot_id: 'bot_1' };
  const bare = answering(() => ({ data }));
  const linked = (id: string) => answering(() => ({ data, links: [logLink(id)] }));
  const links = async (one: ReturnType<typeof answering>) =>
    (await callTool(one, {}, caller)).content.slice(1).map(({ uri }) => uri);
  expect(await links(bare)).toEqual([]);
  expect(await links(linked('bot_1'))).toEqual([logLink('bot_1').uri]);
  expect(await links(linked('bot_2'))).toEqual([logLink('bot_2').uri]);
  expect(await links(bare)).toEqual([]);
  expect(await callTool(bare, {}, caller)).toBe(await callTool(bare, {}, caller));
  expect(await callTool(linked('bot_1'), {}, caller)).toBe(await callTool(linked('bot_1'), {}, caller));
});
