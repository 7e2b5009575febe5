import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

/** Names under which secrets travel; wherever one appears in what is logged, its value does not. */
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

/** The one pino instance of an application: JSON lines, times in RFC 3339, secrets cut out. */
export function createPino(level: string, destination?: DestinationStream): PinoLogger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRET_NAMES.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
        censor: '[redacted]',
      },
    },
    // Lines go out in the background: a slow terminal must not hold up a request.
    destination ?? pino.destination({ dest: 1, sync: false }),
  );
}

/** Nest tells of every module and route at every start, which nobody needs who does not debug it. */
const CHATTY_CONTEXTS: ReadonlySet<unknown> = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer']);

/** Hands Nest's `Logger` to pino; an object as message becomes the line's own fields. */
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

  /** Nest puts the name of the logger last, and a stack trace before it where there is one. */
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
