import { Logger as NestLogger } from '@nestjs/common';
import { Logger } from 'graphile-worker';

/** The queue's warnings and errors among those of the service. Of what goes well the metrics tell. */
export function jobLogger(): Logger {
  const logger = new NestLogger('Jobs');
  return new Logger(() => (level, message) => {
    if (level === 'error') logger.error(message);
    else if (level === 'warning') logger.warn(message);
  });
}
