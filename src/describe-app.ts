import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from './app.module.js';
import type { AppOptions } from './create-app.js';
import type { DatabaseConnection } from './kit/database/database-connection.js';
import { PluginSet } from './kit/extension/plugin-set.js';
import { createOpenApiDocument } from './kit/server/openapi/document.js';
import { SERVICE_VERSION } from './version.js';

/** The OpenAPI document of the service, without starting it: Nest's preview mode instantiates nothing. */
export async function describeApp({ config, plugins = [], environment }: AppOptions): Promise<OpenAPIObject> {
  const connection = {} as DatabaseConnection; // Nothing uses it here.
  const set = PluginSet.of(plugins, SERVICE_VERSION, environment);
  const nest = await NestFactory.create(AppModule.forRoot({ config, plugins: set, connection }), {
    preview: true,
    abortOnError: false,
    logger: ['error', 'fatal'],
  });
  try {
    return createOpenApiDocument(nest, config.publicUrl);
  } finally {
    await nest.close();
  }
}
