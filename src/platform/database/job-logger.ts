import { Logger as NestLogger } from '@nestjs/common';
import type { Logger } from 'graphile-worker';

/** The queue's warnings and errors among those of the service. Of what goes well the metrics tell. */
export async function jobLogger(): Promise<Logger> {
  const { Logger } = await import('graphile-worker');
  const logger = new NestLogger('Jobs');
  return new Logger(() => (level, message) => {
    if (level === 'error') logger.error(message);
    else if (level === 'warning') logger.warn(message);
  });
}
