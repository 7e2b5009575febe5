import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { VALIDATION_FAILED, TEMPORARILY_UNAVAILABLE, ApiErrors, Public } from '../../src/index.js';
import { feedConfiguration, type FeedConfiguration } from './feed-configuration.js';
import { HistoryService, type Bars, type NoBars } from './history.service.js';
import { marksOf, timescaleMarksOf, type Marks, type TimescaleMark } from './marks.js';
import { QuotesService, type Quotes } from './quotes.service.js';
import type { FoundSymbol, SymbolInfo } from './symbol-info.js';
import { SymbolsService } from './symbols.service.js';
import { orFailure, type UdfFailure } from './udf-error.js';
import { HistoryQueryDto, MarksQueryDto, QuotesQueryDto, SearchQueryDto, SymbolQueryDto } from './udf.dto.js';

const ApiFeedObject = (description: string): MethodDecorator =>
  ApiOkResponse({ description, schema: { type: 'object' } });
const ApiFeedList = (description: string): MethodDecorator =>
  ApiOkResponse({ description, schema: { type: 'array', items: { type: 'object' } } });

/** The routes of the Universal Data Feed, whose shapes are TradingView's. */
@ApiTags('Universal Data Feed')
@Public()
@Controller('udf')
export class UdfController {
  constructor(
    private readonly symbols: SymbolsService,
    private readonly history: HistoryService,
    private readonly quotes: QuotesService,
  ) {}

  @Get('config')
  @ApiOperation({ summary: 'What the feed can do' })
  @ApiFeedObject('Resolutions, types of symbols, and which routes there are.')
  config(): FeedConfiguration {
    return feedConfiguration();
  }

  @Get('time')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @ApiOperation({ summary: 'The time of the server' })
  @ApiOkResponse({
    description: 'Seconds since 1970.',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  time(): string {
    return String(Math.floor(Date.now() / 1_000));
  }

  @Get('symbols')
  @ApiOperation({ summary: 'Resolve a symbol' })
  @ApiFeedObject('The market, or `{s: "error", errmsg}`.')
  @ApiErrors(VALIDATION_FAILED)
  info(@Query() { symbol }: SymbolQueryDto): Promise<SymbolInfo | UdfFailure> {
    return orFailure(this.symbols.info(symbol));
  }

  @Get('search')
  @ApiOperation({ summary: 'Search symbols' })
  @ApiFeedList('Markets in order of their ids.')
  @ApiErrors(VALIDATION_FAILED)
  search(@Query() query: SearchQueryDto): Promise<FoundSymbol[]> {
    return this.symbols.search(query);
  }

  @Get('history')
  @ApiOperation({ summary: 'Bars, oldest first' })
  @ApiFeedObject('Bars column by column, `{s: "no_data", nextTime}`, or `{s: "error", errmsg}`.')
  @ApiErrors(VALIDATION_FAILED, TEMPORARILY_UNAVAILABLE)
  bars(@Query() query: HistoryQueryDto): Promise<Bars | NoBars | UdfFailure> {
    return orFailure(this.history.bars(query));
  }

  @Get('marks')
  @ApiOperation({ summary: 'When a market opens, closes and is settled, as marks of bars' })
  @ApiFeedObject('Marks column by column, or `{s: "error", errmsg}`.')
  @ApiErrors(VALIDATION_FAILED)
  marks(@Query() query: MarksQueryDto): Promise<Marks | UdfFailure> {
    return orFailure(this.symbols.market(query.symbol).then((market) => marksOf(market, query)));
  }

  @Get('timescale_marks')
  @ApiOperation({ summary: 'The same as marks of the scale of times' })
  @ApiOkResponse({
    description: 'Marks, or `{s: "error", errmsg}`.',
    schema: { oneOf: [{ type: 'array', items: { type: 'object' } }, { type: 'object' }] },
  })
  @ApiErrors(VALIDATION_FAILED)
  timescaleMarks(@Query() query: MarksQueryDto): Promise<TimescaleMark[] | UdfFailure> {
    return orFailure(this.symbols.market(query.symbol).then((market) => timescaleMarksOf(market, query)));
  }

  @Get('quotes')
  @ApiOperation({ summary: 'Quotes of several symbols' })
  @ApiFeedObject('Quotes in the order of the symbols, or `{s: "error", errmsg}`.')
  @ApiErrors(VALIDATION_FAILED, TEMPORARILY_UNAVAILABLE)
  list(@Query() { symbols }: QuotesQueryDto): Promise<Quotes | UdfFailure> {
    return orFailure(this.quotes.quotes(symbols));
  }
}
