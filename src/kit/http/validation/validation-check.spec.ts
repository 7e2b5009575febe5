import { Body, Controller, Module, ParseArrayPipe, Post, Query, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { IsString } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { DeclaredRoutes } from '../declared-routes.js';
import { PageQueryDto } from '../pagination.js';
import { ValidationCheck } from './validation-check.js';

class NoteDto {
  @IsString()
  text: string;
}

interface Note {
  text: string;
}

async function start(controller: Type): Promise<void> {
  @Module({
    imports: [DiscoveryModule],
    providers: [DeclaredRoutes, ValidationCheck],
    controllers: [controller],
  })
  class ProbeModule {}
  const app = await NestFactory.create(ProbeModule, { logger: false, abortOnError: false });
  try {
    await app.init();
  } finally {
    await app.close();
  }
}

describe('ValidationCheck', () => {
  it('is content with DTO classes and with pipes of one’s own', async () => {
    @Controller()
    class CheckedController {
      @Post('notes')
      one(@Body() _note: NoteDto, @Query() _page: PageQueryDto): void {}

      @Post('lists')
      many(@Body(new ParseArrayPipe({ items: NoteDto })) _notes: NoteDto[]): void {}
    }
    await start(CheckedController);
  });

  it('names routes that take what comes', async () => {
    @Controller()
    class OpenController {
      @Post('notes')
      body(@Body() _note: Note): void {}

      @Post('named')
      named(@Query('q') _q: string): void {}

      @Post('fine')
      fine(@Body() _note: NoteDto): void {}
    }
    await expect(start(OpenController)).rejects.toThrow(
      /: POST OpenController\.body, POST OpenController\.named\.$/,
    );
  });
});
