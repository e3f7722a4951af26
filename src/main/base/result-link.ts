/**
 * The one link that stands in code: bots of other makers write `result.json` beside their code, where nothing can be made
 * inside a container; it leads to where a container has the file of its result (wire.md section 4).
 */
export const RESULT_LINK = { name: 'result.json', target: '/query/run.json' } as const;
