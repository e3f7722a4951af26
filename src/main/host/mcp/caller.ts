import { Readable } from 'node:stream';
import type { CallName, Input, Output } from '../../../contract/operations.ts';
import type { Api, CallContext } from '../api/api-types.ts';
import type { ToolCaller } from './tool.ts';

type Progress = ToolCaller['progress'];

const SILENT: Progress = () => undefined;
const NOTHING = (): void => undefined;

interface CallerParts extends Pick<ToolCaller, 'principal' | 'whileOpen'> {
  readonly api: Api;
  readonly context: CallContext;
  readonly progress?: Progress | undefined;
}

/** A caller of tools over the operations: the endpoint can do nothing that the API could not, as the same user. */
export function toolCaller({ api, principal, context, whileOpen, progress = SILENT }: CallerParts): ToolCaller {
  const { signal } = context;
  return {
    principal,
    signal,
    progress,
    whileOpen,
    call: <N extends CallName>(name: N, input: Input<N>, until?: AbortSignal): Promise<Output<N>> =>
      api.call(name, input, until === undefined ? context : { ...context, signal: until }),
    publish: (body) => api.upload('custom_bots.publish', {}, Readable.from(body), context),
    follow: (name, input, { start = NOTHING, gap = NOTHING, end = NOTHING, push }) =>
      api.stream(name, input, context, {
        start,
        gap,
        end,
        push(id, event) {
          push(event as never, id);
          return true;
        },
      }),
  };
}
