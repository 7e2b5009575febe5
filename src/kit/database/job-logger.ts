import { Logger as NestLogger } from '@nestjs/common';
import type { Logger } from 'graphile-worker';

/** Logs the queue's warnings and errors; metrics count its successes. */
export async function jobLogger(): Promise<Logger> {
  const { Logger } = await import('graphile-worker');
  const logger = new NestLogger('Jobs');
  return new Logger(() => (level, message) => {
    if (level === 'error') logger.error(message);
    else if (level === 'warning') logger.warn(message);
  });
}
