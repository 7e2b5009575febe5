import type { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { QueryFailedError } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { StructuredLogger, createPino, standardOutput } from './logger.js';

function capture(level = 'info'): { logger: StructuredLogger; lines: () => Record<string, unknown>[] } {
  const written: string[] = [];
  const sink = new PassThrough().on('data', (line: Buffer) => written.push(line.toString()));
  return {
    logger: new StructuredLogger(createPino(level, sink)),
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

describe('standardOutput', () => {
  it('goes on when nobody can be told any more, as after its terminal was closed', () => {
    const destination = standardOutput('json') as unknown as EventEmitter;
    const failure = Object.assign(new Error('write EIO'), { code: 'EIO' });
    expect(() => destination.emit('error', failure)).not.toThrow();
  });
});

describe('StructuredLogger', () => {
  it('writes one JSON line with level, time and context', () => {
    const { logger, lines } = capture();
    logger.log('started', 'Core');
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        context: 'Core',
        msg: 'started',
      },
    ]);
  });

  it('takes objects, errors and stacks', () => {
    const { logger, lines } = capture();
    logger.warn({ market_id: 'BTC-USD', msg: 'halted' }, 'Core');
    logger.error(new Error('broken'), 'Core');
    logger.error('failed', 'Error: failed\n  at x', 'Core');
    expect(lines()).toMatchObject([
      { level: 'warn', market_id: 'BTC-USD', msg: 'halted' },
      { level: 'error', err: { message: 'broken' } },
      { level: 'error', msg: 'failed', stack: 'Error: failed\n  at x', context: 'Core' },
    ]);
  });

  it('shows the statement that failed and none of its data', () => {
    const { logger, lines } = capture();
    const driverError = Object.assign(new Error('duplicate key'), {
      code: '23505',
      detail: 'Key (x)=(hunter2)',
    });
    logger.warn(
      { msg: 'failed', err: new QueryFailedError('INSERT INTO t', ['hunter2'], driverError) },
      'Core',
    );
    expect(lines()).toMatchObject([
      { err: { message: 'duplicate key', code: '23505', query: 'INSERT INTO t' } },
    ]);
    expect(JSON.stringify(lines())).not.toContain('hunter2');
  });

  it.each([
    ['RouterExplorer', 'Mapped {/orders, POST} route'],
    ['WebSocketsController', 'ChatGateway subscribed to the "room.join" message'],
    ['NestApplication', 'Nest application successfully started'],
  ])('keeps the chatter of Nest’s %s for those who debug, and never its warnings', (context, message) => {
    const { logger, lines } = capture();
    logger.log(message, context);
    expect(lines()).toEqual([]);
    logger.warn(message, context);
    expect(lines()).toMatchObject([{ level: 'warn', context, msg: message }]);
  });

  it.each(['authorization', 'api_key', 'cookie', 'password', 'client_secret', 'ticket', 'access_token'])(
    'never shows a value named %s, however deep',
    (name) => {
      const { logger, lines } = capture();
      logger.log({
        [name]: 'hunter2',
        headers: { [name]: 'hunter2' },
        request: { headers: { [name]: 'hunter2' } },
      });
      expect(JSON.stringify(lines())).not.toContain('hunter2');
      expect(JSON.stringify(lines())).toContain('[redacted]');
    },
  );
});
