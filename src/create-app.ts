import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Application } from 'express';
import { AppModule, modulesWith } from './app.module.js';
import { CoreService } from './core/core.service.js';
import { AuditedRoutes } from './kit/audit/audited-routes.js';
import { ConfigError, SETTINGS, settlePublicUrl, type Config } from './kit/config/config.js';
import { unreadVariables } from './kit/config/unread-settings.js';
import { DatabaseConnection } from './kit/database/database-connection.js';
import { refusalOf } from './kit/module/plugin-failure.js';
import type { ModuleSet } from './kit/module/module-set.js';
import { builtFolder } from './kit/server/built-folder.js';
import { consoleWords } from './kit/server/console/console-words.js';
import { loadBranding } from './kit/words/branding/load-branding.js';
import { Texts } from './kit/words/texts.js';
import { AnsweringAdapter } from './kit/server/answering-adapter.js';
import { configureHttp } from './kit/server/configure-http.js';
import { drainServer } from './kit/server/http-server.js';
import { PreparedDocuments } from './kit/server/prepared-documents.js';
import { Readiness } from './kit/server/readiness.js';
import { passOverUnlikeRoutes } from './kit/http/routes.js';
import { StructuredLogger, createPino, logFormatOf, standardOutput } from './kit/logging/logger.js';
import { serveAsyncApi } from './kit/realtime/asyncapi/serve-asyncapi.js';
import { OpenStreams } from './kit/realtime/open-streams.js';
import { RealtimeAdapter } from './kit/realtime/realtime-adapter.js';
import { presentTracing } from './kit/tracing/tracing.js';

/** How long running requests may take to finish once the service stops. */
const DRAIN_GRACE_MS = 10_000;
/**
 * How long a process that others can stand in for still serves: each answer closes its connection, so that no
 * connection has to be closed while a request is on its way.
 */
const FAREWELL_MS = 1_000;

export interface AppOptions {
  readonly config: Config;
  /** Classes with `@TradepostPlugin`. */
  readonly plugins?: readonly Type[];
}

/**
 * Node accepts one connection in each turn of its loop, and whoever finds no place among those that wait knocks again after
 * seconds. The operating system may allow fewer.
 */
const CONNECTIONS_WAITING_MAX = 4_096;

/** The whole service in one object: assembled and ready, listening on request. */
export class Service {
  constructor(
    readonly nest: NestExpressApplication,
    private readonly config: Config,
  ) {}

  /**
   * Starts to serve and answers with the address that it listens at, also where `PORT` was 0. Rejects with
   * a StartRefusal where the address cannot be had.
   */
  async listen(): Promise<string> {
    const { host, port } = this.config;
    const server: Server = this.nest.getHttpServer();
    server.listen({ port, host, backlog: CONNECTIONS_WAITING_MAX });
    try {
      await once(server, 'listening');
    } catch (error) {
      throw refusalToListen(error as NodeJS.ErrnoException, host, port);
    }
    const address = server.address() as AddressInfo;
    settlePublicUrl(this.config, address.port);
    return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  }

  /** Makes `/openapi.json` and the like, which takes a moment that the first who asks would cost all others. */
  prepareDocuments(): Promise<void> {
    return this.nest.get(PreparedDocuments).prepare();
  }

  /**
   * Stops without losing anything: says that it is not ready, lets another process lead where there is one, ends
   * sockets and streams, finishes the requests that are running, lets the core commit what is queued (`beforeApplicationShutdown`), and only then closes the database
   * (`onApplicationShutdown`).
   */
  async close(): Promise<void> {
    this.nest.get(Readiness).beginDraining();
    const hasPeers = await this.nest.get(CoreService).handOver();
    if (hasPeers) await delay(FAREWELL_MS);
    this.nest.get(OpenStreams).endAll();
    await drainServer(this.nest.getHttpServer(), DRAIN_GRACE_MS);
    await this.nest.close();
  }
}

/**
 * Puts the service together: the only place that does, for `main.ts`, tests and those who embed it.
 * Rejects with a StartRefusal, whose one line says what to mend, or with the error that kept it from starting.
 */
export async function createApp({ config, plugins = [] }: AppOptions): Promise<Service> {
  const format = logFormatOf(config.logFormat, process.stdout.isTTY);
  const traceFields = config.tracing && ((): object => presentTracing()?.logFields() ?? {});
  const pino = createPino(config.logLevel, standardOutput(format), traceFields);
  const logger = new StructuredLogger(pino);
  Logger.overrideLogger(logger);
  // Plugins are judged before anything is started that would have to be ended again.
  const set = modulesWith(plugins, config);
  const texts = textsOf(set, config);
  const connection = await DatabaseConnection.open(config);
  try {
    const nest = await NestFactory.create<NestExpressApplication>(
      AppModule.forRoot({ config, modules: set, connection, texts }),
      // Named, since Nest would look for it among the packages beside its own, and the published package has it bundled.
      new AnsweringAdapter(),
      // The body guard reads bodies, for routes that take one, after their caller is known.
      { logger, bodyParser: false, abortOnError: false },
    );
    configureHttp(nest, config, pino, {
      pages: set.consolePages,
      leftOut: set.leftOut.map(({ name }) => name),
      texts,
    });
    nest.get(AuditedRoutes).intercept(nest.getHttpAdapter().getInstance() as Application);
    serveAsyncApi(nest, config);
    nest.useWebSocketAdapter(new RealtimeAdapter(nest, config));
    await initialise(nest);
    warnOfUnread(config, set);
    passOverUnlikeRoutes(nest.getHttpAdapter().getInstance() as Application);
    return new Service(nest, config);
  } catch (error) {
    await connection.close();
    throw refusalOf(error, set);
  }
}

/** Throws a StartRefusal where the operator's files are wrong. */
function textsOf(set: ModuleSet, { texts: { brandingDir, defaultLanguage } }: Config): Texts {
  const catalogs = [...set.words, ...consoleWords(builtFolder('console'))];
  const branding = loadBranding(
    brandingDir,
    catalogs.flatMap(({ mails }) => mails),
  );
  return new Texts({ catalogs, branding, defaultLanguage });
}

/** A misspelt setting would have no effect, and nobody would know. */
function warnOfUnread({ environment }: Config, set: ModuleSet): void {
  const settings = [...SETTINGS, ...set.declaredSettings];
  for (const sentence of unreadVariables(environment.variables, settings))
    new Logger('Settings').warn(sentence);
}

/** Runs the modules' hooks; where one fails, those that ran are undone. */
async function initialise(nest: NestExpressApplication): Promise<void> {
  try {
    await nest.init();
  } catch (error) {
    await nest.close();
    throw error;
  }
}

function refusalToListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigError(
        'PORT',
        `${port} is taken on ${host}: stop what listens there, or choose another port.`,
      );
    case 'EACCES':
      return new ConfigError('PORT', `${port} may not be used by this user: choose one from 1024 up.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError('HOST', `${host} is not an address of this machine.`);
    default:
      return error;
  }
}
