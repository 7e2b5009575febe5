import type { LoggerService } from '@nestjs/common';
import { pino, stdSerializers, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { textLines } from './text-lines.js';

/** One line of JSON for machines, or text for people. */
export type LogFormat = 'json' | 'text';

/** `auto` is text in a terminal, and JSON if stdout is a file or a pipe. */
export function logFormatOf(wanted: LogFormat | 'auto', isTerminal: boolean): LogFormat {
  if (wanted !== 'auto') return wanted;
  return isTerminal ? 'text' : 'json';
}

export function standardOutput(format: LogFormat): DestinationStream {
  // Written asynchronously: a slow terminal must not delay a request.
  const destination = pino.destination({ dest: 1, sync: false });
  // A terminal that was closed, or a full disk: lines are lost, which must not end the service, least of all while it drains.
  destination.on('error', () => undefined);
  return format === 'text' ? textLines(destination) : destination;
}

/** Names of secret fields; their values are removed from logs. */
const SECRET_NAMES = [
  'authorization',
  'api_key',
  'cookie',
  'set-cookie',
  'password',
  'client_secret',
  'access_token',
  'refresh_token',
  'secret',
  'token',
  'ticket',
  'code_verifier',
];

/**
 * Parts of database errors that may contain personal data: the parameters, rows in words, and the driver's error, which
 * repeats them.
 */
const DATA_OF_ERRORS = ['parameters', 'detail', 'where', 'driverError'];

/** The one pino instance of an application: JSON lines, times in RFC 3339, secrets redacted. Each line has `fields`. */
export function createPino(
  level: string,
  destination: DestinationStream = standardOutput('json'),
  fields?: () => object,
): PinoLogger {
  return pino(
    {
      level,
      base: undefined,
      ...(fields !== undefined && { mixin: fields }),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: withoutData },
      redact: {
        paths: SECRET_NAMES.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
        censor: '[redacted]',
      },
    },
    destination,
  );
}

function withoutData(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const fields = Object.entries(stdSerializers.err(error));
  return Object.fromEntries(fields.filter(([name]) => !DATA_OF_ERRORS.includes(name)));
}

/** Nest logs every module, route and socket event at every start; these contexts log at debug level only. */
const CHATTY_CONTEXTS: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
  'WebSocketsController',
]);

/** Passes Nest's `Logger` to pino; an object message becomes the line's own fields. */
export class StructuredLogger implements LoggerService {
  constructor(private readonly pino: PinoLogger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(CHATTY_CONTEXTS.has(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest passes the logger's name last, and before it a stack trace if there is one. */
  private write(
    level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = rest.at(-1);
    const stack = rest.length > 1 ? rest[0] : undefined;
    if (message instanceof Error) this.pino[level]({ context, err: message });
    else if (typeof message === 'object' && message !== null) this.pino[level]({ context, ...message });
    else this.pino[level](stack === undefined ? { context } : { context, stack }, String(message));
  }
}
