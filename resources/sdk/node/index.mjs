export {
  current_timestamp,
  currentTimestamp,
  error,
  log,
  metric,
  parse,
  result,
  sleep,
  success,
} from './output.mjs';
export * as query from './query.mjs';
export * as state from './state.mjs';
