import { PassThrough } from 'node:stream';
import { QueryFailedError } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { StructuredLogger, createPino, logFormatOf } from './logger.js';
import { textLines } from './text-lines.js';

/** What a terminal shows, without the time of day. */
function capture(): { logger: StructuredLogger; shown: () => string } {
  const written: string[] = [];
  const sink = new PassThrough().on('data', (chunk: Buffer) => written.push(chunk.toString()));
  return {
    logger: new StructuredLogger(createPino('info', textLines(sink))),
    shown: () => written.join('').replaceAll(/^\d\d:\d\d:\d\d /gm, ''),
  };
}

describe('textLines', () => {
  it('shows time, level, source, message and fields in one line', () => {
    const { logger, shown } = capture();
    logger.log('started', 'Core');
    logger.warn(
      { market_id: 'BTC-USD', route: '/orders/:order_id', waits: [1, 2], msg: 'is halted' },
      'Core',
    );
    expect(shown()).toBe(
      'info  Core: started\nwarn  Core: is halted  market_id=BTC-USD  route=/orders/:order_id  waits=[1,2]\n',
    );
  });

  it('shows the time of day first', () => {
    const written: string[] = [];
    textLines({ write: (line) => written.push(line) }).write(
      JSON.stringify({ level: 'info', time: '2026-01-02T03:04:05.678Z', msg: 'started' }),
    );
    expect(written).toEqual([expect.stringMatching(/^\d\d:04:05 info {2}started\n$/)]);
  });

  it('shows errors with their trace, and no secret', () => {
    const { logger, shown } = capture();
    logger.error({ msg: 'could not write', err: new Error('disk full'), password: 'hunter2' }, 'Files');
    const [first, second, third] = shown().split('\n');
    expect(first).toBe('error Files: could not write  password="[redacted]"');
    expect(second).toBe('    Error: disk full');
    expect(third).toMatch(/^ {8}at /);
    const driverError = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'hunter2' });
    logger.error(new QueryFailedError('INSERT INTO t', ['hunter2'], driverError), 'Files');
    expect(shown()).toContain('error Files: duplicate key  query="INSERT INTO t"  code=23505\n');
    expect(shown()).not.toContain('hunter2');
  });

  it('lets nobody write to the terminal through what is logged', () => {
    const { logger, shown } = capture();
    logger.log({ msg: 'got \u001b[2J\r\nerror Core: forged', title: '\u202eevil\u009b' }, 'Feed');
    logger.error('failed', 'Error: \u001b]0;owned\u0007\n    at x', 'Feed');
    expect(shown()).toBe(
      'info  Feed: got \\u{1b}[2J\\u{d}\\u{a}error Core: forged  title="\\u{202e}evil\\u{9b}"\n' +
        'error Feed: failed\n    Error: \\u{1b}]0;owned\\u{7}\n        at x\n',
    );
  });
});

describe('logFormatOf', () => {
  it.each([
    ['auto', true, 'text'],
    ['auto', false, 'json'],
    ['text', false, 'text'],
    ['json', true, 'json'],
  ] as const)('%s, where stdout is a terminal: %s, is %s', (wanted, isTerminal, format) => {
    expect(logFormatOf(wanted, isTerminal)).toBe(format);
  });
});
