/** The result of a bot in one line. */
export function resultLine(result: unknown): string | null {
  if (result === null || result === undefined) return null;
  if (typeof result === 'string') return result;
  if (typeof result === 'object' && 'message' in result && typeof result.message === 'string') return result.message;
  const text = JSON.stringify(result);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Values of a result that stand beside each other in one sentence. */
const MOST_VALUES = 8;

/** The result of a bot as a sentence: its message, or its values by name. */
export function resultSentence(result: unknown): string | null {
  if (typeof result !== 'object' || result === null || Array.isArray(result) || 'message' in result)
    return resultLine(result);
  const values = Object.entries(result).filter(([, value]) => typeof value !== 'object');
  if (values.length === 0 || values.length > MOST_VALUES) return resultLine(result);
  return values.map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value)}`).join(' · ');
}
