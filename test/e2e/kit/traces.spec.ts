import { Controller, Get } from '@nestjs/common';
import { trace } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import { Public, TradepostPlugin } from '../../../src/index.js';
import { presentTracing } from '../../../src/kit/tracing/tracing.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, tokenFor } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';
import { type ReceivedSpan, TraceReceiver } from '../../support/trace-receiver.js';

const SERVER = 2;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const CALLERS_SPAN_ID = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE_ID}-${CALLERS_SPAN_ID}-01`;
/** Where OpenTelemetry's API keeps what is registered with it. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

@Controller('acme/traced')
class TracedController {
  @Get()
  @Public()
  look(): string {
    return trace.getTracer('acme').startActiveSpan('look', (span) => {
      span.end();
      return 'looked';
    });
  }
}

@TradepostPlugin({ name: 'acme-traced', compatibility: '^0.1.0', controllers: [TracedController] })
class TracedPlugin {}

const attributesOf = (span: ReceivedSpan): Record<string, unknown> =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

describe('traces', () => {
  let app: TestApp;
  let receiver: TraceReceiver | undefined;

  afterEach(async () => {
    await app.close();
    await receiver?.close();
    receiver = undefined;
  });

  /** A demo client, and a market of its own. */
  async function trade(): Promise<[Caller, string]> {
    const market = await createMarket(await callerFor(app.url, 'admin'), 'TRACED');
    return [await callerFor(app.url, 'demo'), market];
  }

  it('register nothing where no exporter is set', async () => {
    app = await startTestApp({ environment: { OTEL_SERVICE_NAME: 'exchange' } });
    const [demo, market] = await trade();
    await demo.place(limit(market, 'buy', '100', '1'), { traceparent: TRACEPARENT });
    const registered = (globalThis as Record<symbol, unknown>)[REGISTERED];
    expect(registered ?? {}).not.toHaveProperty('trace');
    expect(registered ?? {}).not.toHaveProperty('context');
    expect(presentTracing()).toBeUndefined();
  });

  it('lead from an order to its commit and to those who follow it', async () => {
    receiver = await TraceReceiver.start();
    const { spans } = receiver;
    app = await startTestApp({
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector',
        OTEL_SERVICE_NAME: 'exchange',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      },
    });
    const [demo, market] = await trade();
    await (await callerFor(app.url, 'maker')).place(limit(market, 'sell', '100', '1'));
    const order = limit(market, 'buy', '100', '1');
    const { headers } = await demo.post('/orders', order, { traceparent: TRACEPARENT });

    const ofTrace = (name: string): ReceivedSpan =>
      spans.find((span) => span.traceId === TRACE_ID && span.name === name)!;
    const isLinkedTo =
      ({ spanId }: ReceivedSpan) =>
      ({ links }: ReceivedSpan): boolean =>
        links.some((link) => link.spanId === spanId);
    await eventually(() => {
      const commit = ofTrace('commit');
      expect(receiver!.named('project').some(isLinkedTo(commit))).toBe(true);
      expect(receiver!.named('follow fills').some(isLinkedTo(commit))).toBe(true);
      expect(ofTrace('POST /orders')).toBeDefined();
    });

    const [request, command, commit] = ['POST /orders', 'command', 'commit'].map(ofTrace);
    expect(request).toMatchObject({ kind: SERVER, parentSpanId: CALLERS_SPAN_ID });
    expect(attributesOf(request!)).toEqual({
      'http.request.method': 'POST',
      'http.route': '/orders',
      'http.response.status_code': 201,
      'tradepost.request_id': headers.get('x-request-id'),
    });
    expect(command!.parentSpanId).toBe(request!.spanId);
    expect(commit!.parentSpanId).toBe(command!.spanId);
    expect(spans.filter(({ traceId }) => traceId === TRACE_ID)).toHaveLength(3);

    expect(receiver.headers[0]).toMatchObject({ authorization: 'Bearer collector' });
    expect(attributesOf({ attributes: receiver.resources[0]! } as ReceivedSpan)).toMatchObject({
      'service.name': 'exchange',
      'deployment.environment': 'test',
    });
  });

  it('lead from each of many orders to a commit, and tell nothing that callers sent', async () => {
    receiver = await TraceReceiver.start();
    const { spans } = receiver;
    app = await startTestApp({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    const [demo, market] = await trade();
    const token = await tokenFor(app.url, 'demo');
    const orders = Array.from({ length: 20 }, (_, place) =>
      limit(market, 'buy', '98.76', '1', { client_order_id: `mine-${place}` }),
    );
    await Promise.all(orders.map((order) => demo.place(order)));
    await demo.get(`/orders?client_order_id=mine-1&access_token=${token}`);

    await eventually(() => {
      const requests = receiver!.named('POST /orders');
      expect(requests).toHaveLength(orders.length);
      for (const { traceId, spanId } of requests) {
        const command = spans.find(({ parentSpanId }) => parentSpanId === spanId)!;
        expect(command).toMatchObject({ name: 'command', traceId });
        const commits = receiver!
          .named('commit')
          .filter(
            ({ parentSpanId, links }) =>
              parentSpanId === command.spanId || links.some((link) => link.spanId === command.spanId),
          );
        expect(commits).toHaveLength(1);
      }
    });
    const all = JSON.stringify(spans);
    for (const secret of ['mine-', token, 'demo', market, '98.76'])
      expect(all.includes(secret), secret).toBe(false);
  });

  it('begin anew for background work', async () => {
    receiver = await TraceReceiver.start();
    app = await startTestApp({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    const [demo, market] = await trade();
    await demo.place(limit(market, 'buy', '100', '1'), { traceparent: TRACEPARENT });
    await eventually(() => {
      const [step] = receiver!.named('project');
      expect(step).toBeDefined();
      expect(step!.parentSpanId ?? '').toBe('');
      expect(step!.traceId).not.toBe(TRACE_ID);
    });
  });

  it('have the spans of plugins in them', async () => {
    receiver = await TraceReceiver.start();
    app = await startTestApp({
      plugins: [TracedPlugin],
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    });
    await fetch(`${app.url}/acme/traced`, { headers: { traceparent: TRACEPARENT } });
    await eventually(() => {
      const [request] = receiver!.named('GET /acme/traced');
      expect(receiver!.named('look')[0]).toMatchObject({
        traceId: TRACE_ID,
        parentSpanId: request!.spanId,
      });
    });
  });

  it('follow the decision of the caller, or the share that is set', async () => {
    receiver = await TraceReceiver.start();
    app = await startTestApp({
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0',
      },
    });
    const [demo, market] = await trade();
    await demo.place(limit(market, 'buy', '100', '1'));
    await demo.place(limit(market, 'buy', '100', '1'), { traceparent: TRACEPARENT });
    await eventually(() => receiver!.named('POST /orders').length > 0, 'the order of the caller is traced');
    expect(receiver.spans.map(({ traceId }) => traceId)).toEqual(
      expect.not.arrayContaining([expect.not.stringMatching(TRACE_ID)]),
    );
  });

  it('are dropped and counted where nobody takes them, and nothing waits for that', async () => {
    receiver = await TraceReceiver.start();
    const { url } = receiver;
    await receiver.close();
    receiver = undefined;
    app = await startTestApp({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });
    const [demo, market] = await trade();
    for (let place = 0; place < 10; place++) await demo.place(limit(market, 'buy', '100', '1'));
    const admin = await tokenFor(app.url, 'admin');
    await eventually(async () => {
      const metrics = await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${admin}` } });
      expect(await metrics.text()).toMatch(/tradepost_trace_spans_total\{outcome="failed"\} [1-9]/);
    });
  });
});
