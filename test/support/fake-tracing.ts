import { setTracing } from '../../src/kit/tracing/tracing.js';

export const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Until `setTracing(undefined)`, everything belongs to `TRACE`. Answers what was to belong to another one, or to none. */
export function traceEverything(): (string | undefined)[] {
  const gone: (string | undefined)[] = [];
  setTracing({
    trace: TRACE,
    begin: () => ({ trace: TRACE, within: (work) => work(), end: () => undefined }),
    logFields: () => ({}),
    within: (trace, work) => {
      gone.push(trace);
      return work();
    },
  });
  return gone;
}
