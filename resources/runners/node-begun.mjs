// Tells whether the top level of an entry has called the function that the platform would call, which must not trade
// twice.
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 count the calls of each function from its first on, not only of those that are called often. Optimized code
 * stays as fast, other than with the coverage that a profiler asks for.
 */
export function countCalls() {
  setFlagsFromString('--no-lazy-feedback-allocation');
}

const KEY = 'bot-platform.begun';

/** The script that a function stands in; undefined for one that stands in none, such as a bound one. */
function scriptOf(value, ask) {
  const key = Symbol.for(KEY);
  globalThis[key] = value;
  try {
    const { result } = ask('Runtime.evaluate', { expression: `globalThis[Symbol.for('${KEY}')]` });
    const { internalProperties = [] } = ask('Runtime.getProperties', {
      objectId: result.objectId,
      ownProperties: true,
    });
    // Not the place of the function there, which is told by line, where its calls are told by offset.
    return internalProperties.find(({ name }) => name === '[[FunctionLocation]]')?.value.value.scriptId;
  } finally {
    delete globalThis[key];
  }
}

/**
 * The functions at the top level of a file that are as long as this one. V8 counts all that one function expression
 * makes together: a function within another may have been made, and called, more than once.
 */
function alike({ functions }, value) {
  const ranges = functions.map(({ ranges: [range] }) => range);
  const end = Math.max(...ranges.map(({ endOffset }) => endOffset));
  const inner = ranges.filter(({ startOffset, endOffset }) => startOffset > 0 || endOffset < end);
  const lengthOf = ({ startOffset, endOffset }) => endOffset - startOffset;
  const isWithin = (one, other) =>
    lengthOf(other) > lengthOf(one) && other.startOffset <= one.startOffset && one.endOffset <= other.endOffset;
  const { length } = Function.prototype.toString.call(value);
  return inner.filter((one) => lengthOf(one) === length && !inner.some((other) => isWithin(one, other)));
}

/** Whether a function at the top level of a file was called since `countCalls`; no longer counts. */
export async function hasBegun(value) {
  setFlagsFromString('--lazy-feedback-allocation');
  if (!process.features.inspector) return false;
  const { Session } = await import('node:inspector');
  const session = new Session();
  const ask = (method, parameters) => {
    let answer;
    session.post(method, parameters, (error, result) => {
      if (error !== null) throw error;
      answer = result;
    });
    return answer;
  };
  session.connect();
  try {
    const script = scriptOf(value, ask);
    ask('Profiler.enable');
    const found = ask('Profiler.getBestEffortCoverage').result.find(({ scriptId }) => scriptId === script);
    const candidates = found === undefined ? [] : alike(found, value);
    return candidates.length > 0 && candidates.every(({ count }) => count > 0);
  } finally {
    session.disconnect();
  }
}
