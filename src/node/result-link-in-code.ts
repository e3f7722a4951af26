/**
 * The one link inside stored code folders, which the catalogue creates: bots of other makers write `result.json` beside
 * their code, where a container cannot create files, so the link leads to the container's result file.
 */
export const RESULT_LINK = { name: 'result.json', target: '/query/run.json' } as const;
