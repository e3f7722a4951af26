export { error, log, metric, parse, result, success } from './output.mjs';
export * as query from './query.mjs';
export * as state from './state.mjs';
