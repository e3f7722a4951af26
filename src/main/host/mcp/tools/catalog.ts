import { z } from 'zod';
import { cut, fitting, valueField } from '../answer-size.ts';
import { READS, type Tool, tool } from '../tool.ts';
import { AUTHOR_TEXT_NOTICE } from '../untrusted.ts';
import { customBotName, version } from './arguments.ts';
import { sheetField } from './install-sheet.ts';

const README_BYTES = 10_000;

const list = tool({
  name: 'custom_bot_list',
  title: 'List custom bots',
  audit: ['listed', 'list', 'the custom bots'],
  description:
    'List the custom bots that can be deployed: name, type, newest version, and one line on what each does. Bots that run are listed by bot_list.',
  input: z.strictObject({}),
  hints: READS,
  needs: 'custom_bots.list',
  async run(_, caller) {
    const { items } = await caller.call('custom_bots.list', {});
    const all = items.map(({ name, type, runtime, latest_version, versions, description, bots }) => ({
      name,
      type,
      runtime,
      version: latest_version,
      versions: versions.slice(0, 10),
      description: cut(description, 300),
      bots,
    }));
    const custom_bots = fitting(all);
    return {
      data: { notice: AUTHOR_TEXT_NOTICE, custom_bots, count: all.length, truncated: custom_bots.length < all.length },
    };
  },
});

const get = tool({
  name: 'custom_bot_get',
  title: 'Get one custom bot',
  audit: ['looked', 'look', 'at [custom bot {name}|a custom bot]'],
  description:
    'Get one custom bot: runtime, author, versions, whether it answers queries, and its readme. For the settings that it takes use custom_bot_schema.',
  input: z.strictObject({ name: customBotName, version }),
  hints: READS,
  needs: 'custom_bots.get',
  target: 'name',
  async run(input, caller) {
    const found = await caller.call('custom_bots.get', input);
    const { items } = await caller.call('custom_bots.list', {});
    const { name, type, runtime, author, description, metadata, readme, created_at } = found;
    return {
      data: {
        name,
        version: found.version,
        versions: items.find((item) => item.name === name)?.versions.slice(0, 50) ?? [found.version],
        type,
        runtime,
        author,
        notice: AUTHOR_TEXT_NOTICE,
        description,
        ...valueField('metadata', metadata, 2000),
        permits: sheetField(found.install_sheet),
        answers_queries: found.entrypoints.query !== null,
        created_at,
        readme: readme === null ? null : cut(readme, README_BYTES),
        readme_truncated: readme !== null && Buffer.byteLength(readme) > README_BYTES,
      },
    };
  },
});

const schema = tool({
  name: 'custom_bot_schema',
  title: 'Get the settings schema',
  audit: ['read', 'read', 'the settings of [custom bot {name}|a custom bot]'],
  description:
    'Get the JSON Schema (draft-07) of the settings that a custom bot takes. Call it before bot_deploy or bot_update, and build settings that satisfy it.',
  input: z.strictObject({ name: customBotName, version }),
  hints: READS,
  needs: 'custom_bots.schema',
  target: 'name',
  async run(input, caller) {
    const found = await caller.call('custom_bots.schema', input);
    const { name, version: of } = found;
    const field = valueField('schema', found.schema);
    const uri = `platform://custom-bots/${encodeURIComponent(name)}/schema`;
    const notice = AUTHOR_TEXT_NOTICE;
    if (field.truncated !== true) return { data: { name, version: of, notice, ...field } };
    return {
      data: {
        name,
        version: of,
        notice,
        ...field,
        more: `The whole schema of the newest version is the resource ${uri}.`,
      },
      links: [{ uri, name: 'schema', description: 'The whole settings schema.', mimeType: 'application/schema+json' }],
    };
  },
});

/** Tools about custom bots, in their order at /mcp. */
export const CATALOG_TOOLS: readonly Tool[] = [list, get, schema];
