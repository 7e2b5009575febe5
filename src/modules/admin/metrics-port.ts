import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CONFIG, type Config } from '../../kit/config/config.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';

/** Serves `/metrics` without a credential on a loopback-only port (`METRICS_PORT`). */
@Injectable()
export class MetricsPort implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(MetricsPort.name);
  private server: Server | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly metrics: MetricsRegistry,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.config.metricsPort === undefined) return;
    this.server = createServer((request, response) => {
      if (request.url === '/metrics' && request.method === 'GET') void this.answer(response);
      else response.writeHead(404).end();
    });
    this.server.listen(this.config.metricsPort, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.server) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(response: ServerResponse): Promise<void> {
    try {
      const text = await this.metrics.render();
      response.writeHead(200, { 'Content-Type': this.metrics.contentType }).end(text);
    } catch (error) {
      this.logger.error(error);
      response.writeHead(500).end();
    }
  }
}
