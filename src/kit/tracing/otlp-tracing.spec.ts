import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPino } from '../logging/logger.js';
import { OtlpTracing } from './otlp-tracing.js';

describe('OtlpTracing', () => {
  /** Takes connections and never answers. */
  let server: Server;
  let tracing: OtlpTracing;
  const left = new Map<string | undefined, number>();

  beforeEach(async () => {
    left.clear();
    server = createServer(() => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const config = {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      headers: undefined,
      serviceName: 'exchange',
      resourceAttributes: undefined,
      sampler: 'parentbased_always_on' as const,
      samplerRatio: 1,
    };
    tracing = new OtlpTracing(config, (count, failure) =>
      left.set(failure, (left.get(failure) ?? 0) + count),
    );
  });

  afterEach(async () => {
    await tracing.close();
    server.closeAllConnections();
    server.close();
  });

  it('lets a bounded number of spans wait, drops and counts the others, and closes all the same', () => {
    for (let made = 0; made < 10_000; made++) tracing.begin('request', 'server').end();
    const dropped = left.get('queue_full') ?? 0;
    expect(dropped).toBeGreaterThan(0);
    expect(dropped).toBeLessThan(2_000);
  });

  it('gives log lines the trace that they are about', () => {
    const lines: string[] = [];
    const sink = new PassThrough().on('data', (line: Buffer) => lines.push(line.toString()));
    const logger = createPino('info', sink, () => tracing.logFields());
    const span = tracing.begin('request', 'server');
    span.within(() => logger.info('within'));
    logger.info('beside');
    const [, traceId, spanId] = span.trace!.split('-');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { msg: 'within', trace_id: traceId, span_id: spanId },
      { msg: 'beside' },
    ]);
    expect(lines[1]).not.toContain('trace_id');
  });

  it('goes on with a trace of elsewhere, and takes nothing else for one', () => {
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(tracing.within(trace, () => tracing.trace)).toBe(trace);
    expect(tracing.begin('request', 'server', { parent: trace }).trace).toContain(trace.slice(0, 36));
    for (const wrong of ['', '00-1-2-01', `ff-${trace.slice(3)}`, `${trace}-more`]) {
      expect(tracing.within(wrong, () => tracing.trace)).toBeUndefined();
      expect(tracing.begin('request', 'server', { parent: wrong }).trace).toBeDefined();
    }
  });

  it('hands on nothing of a trace that is not sampled', () => {
    const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';
    const span = tracing.begin('request', 'server', { parent });
    expect(span.trace).toBeUndefined();
    expect(span.within(() => tracing.trace)).toBeUndefined();
  });

  it('tells the code of a failure, or its class, and never its message', async () => {
    // What is asked of OpenTelemetry is seen in `test/e2e/kit/traces.spec.ts`; here, that nothing throws.
    for (const error of [new TypeError('secret'), { code: 'rate_limited' }, 'text', null])
      expect(() => tracing.begin('request', 'server').end({ error: error as unknown })).not.toThrow();
    await expect(tracing.close()).resolves.toBeUndefined();
  });
});
