export { on_stop, onStop } from './control.mjs';
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
export {
  adjustment,
  cash_flow,
  cashFlow,
  equity,
  fill,
  order,
  position,
  price,
  rate,
  signal,
} from './reserved.mjs';
export * as state from './state.mjs';
