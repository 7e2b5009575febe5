import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule, modulesWith } from './app.module.js';
import type { AppOptions } from './create-app.js';
import type { DatabaseConnection } from './kit/database/database-connection.js';
import { createOpenApiDocument } from './kit/server/openapi/document.js';

/** The OpenAPI document of the service, without starting it: Nest's preview mode instantiates nothing. */
export async function describeApp({ config, plugins = [] }: AppOptions): Promise<OpenAPIObject> {
  const connection = {} as DatabaseConnection; // Nothing uses it here.
  const modules = modulesWith(plugins, config);
  const nest = await NestFactory.create(AppModule.forRoot({ config, modules, connection }), {
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
