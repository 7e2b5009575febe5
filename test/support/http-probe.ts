/** A small service with only the platform's HTTP, and routes for the tests of HTTP. */
import { PassThrough } from 'node:stream';
import {
  Body,
  ConflictException,
  Controller,
  Get,
  HttpException,
  Module,
  NotFoundException,
  Param,
  Post,
  Query,
  Res,
  type Type,
} from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { IsOptional, IsString } from 'class-validator';
import type { Response as ExpressResponse } from 'express';
import { QueryFailedError } from 'typeorm';
import { loadConfig, type Config } from '../../src/kit/config/config.js';
import { ConfigModule } from '../../src/kit/config/config.module.js';
import { BatchBody, FormBody } from '../../src/kit/http/body-policy.js';
import { REFUSALS } from '../../src/modules/accounts/commands/refusals.js';
import { ApiError } from '../../src/kit/http/errors.js';
import { PageQueryDto } from '../../src/kit/http/pagination.js';
import { createPino, StructuredLogger } from '../../src/kit/logging/logger.js';
import { MetricsModule } from '../../src/kit/metrics/metrics.module.js';
import { RateLimitGuard } from '../../src/kit/rate-limit/rate-limit.guard.js';
import { BodyGuard } from '../../src/kit/server/body.guard.js';
import { configureHttp } from '../../src/kit/server/configure-http.js';
import { HttpModule } from '../../src/kit/server/http.module.js';
import { partsOfKit } from './parts-of-kit.js';

class NoteDto {
  @IsString()
  text: string;

  @IsOptional()
  @IsString()
  author?: string;
}

const FAILURES: Readonly<Record<string, () => unknown>> = {
  text: () => 'secret text',
  nothing: () => undefined,
  error: () => new Error('password=hunter2'),
  http: () => new ConflictException('Already there.'),
  teapot: () => new HttpException('I am a teapot', 418),
  api: () => new ApiError(REFUSALS.insufficient_funds, 'Deposit more.'),
  missing: () => new NotFoundException(),
  statement: () =>
    new QueryFailedError('SELECT secret FROM vault', [], Object.assign(new Error('boom'), { code: '42601' })),
  away: () =>
    new QueryFailedError('SELECT 1', [], Object.assign(new Error('terminating'), { code: '57P01' })),
};

@Controller()
class ProbeController {
  @Post('notes')
  note(@Body() note: NoteDto): NoteDto {
    return note;
  }

  @Post('forms')
  @FormBody()
  form(@Body() note: NoteDto): NoteDto {
    return note;
  }

  @Post('batches')
  @BatchBody()
  batch(@Body() note: NoteDto): number {
    return note.text.length;
  }

  @Post('bodiless')
  bodiless(): object {
    return { done: true };
  }

  @Get('notes/:id')
  get(@Param('id') id: string): object {
    return { id };
  }

  @Get('lists')
  list(@Query() query: PageQueryDto): PageQueryDto {
    return query;
  }

  @Get('failures/:kind')
  fail(@Param('kind') kind: string): never {
    throw FAILURES[kind]?.();
  }

  @Get('half')
  half(@Res() response: ExpressResponse): void {
    response.write('half of ');
    throw new Error('broke off');
  }

  @Get('slow')
  async slow(): Promise<object> {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { slow: true };
  }
}

const config = { ...loadConfig({ PORT: '0', RATE_LIMITS: 'off' }), corsOrigins: ['https://shop.example'] };

@Module({
  imports: [partsOfKit(ConfigModule.forRoot(config), MetricsModule, HttpModule)],
  controllers: [ProbeController],
  providers: [
    { provide: APP_GUARD, useExisting: RateLimitGuard },
    { provide: APP_GUARD, useExisting: BodyGuard },
  ],
})
class ProbeModule {}

/** Lines that the service has logged. */
export const logged: string[] = [];

export interface ProbeOptions extends Partial<Config> {
  /** Whose routes it has, too. */
  readonly controllers?: Type[];
  readonly console?: Parameters<typeof configureHttp>[3];
}

export async function startProbe({
  controllers = [],
  console,
  ...overrides
}: ProbeOptions = {}): Promise<NestExpressApplication> {
  const sink = new PassThrough().on('data', (line: Buffer) => logged.push(line.toString()));
  const pino = createPino('debug', sink);
  const module = { module: ProbeModule, controllers };
  const nest = await NestFactory.create<NestExpressApplication>(module, {
    bodyParser: false,
    abortOnError: false,
    logger: new StructuredLogger(pino),
  });
  configureHttp(nest, { ...config, ...overrides }, pino, console);
  await nest.listen(0, '127.0.0.1');
  return nest;
}
