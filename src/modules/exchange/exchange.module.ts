import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MarketsModule } from '../markets/markets.module.js';
import { OrderEntity } from '../markets/orders/order.entity.js';
import { MatchedBetEntity } from './matched-bets/matched-bet.entity.js';
import { MatchedBetsController } from './matched-bets/matched-bets.controller.js';
import { MatchedBetsService } from './matched-bets/matched-bets.service.js';
import { QuotePricing } from './quotes/quote-pricing.js';
import { QuoteWriter } from './quotes/quote-writer.js';
import { QuoteEntity } from './quotes/quote.entity.js';
import { QuotedTermsReader } from './quotes/quoted-terms.js';
import { QuotesController } from './quotes/quotes.controller.js';
import { QuotesService } from './quotes/quotes.service.js';

/** The Exchange group: quotes, and the bets that accepting them makes. */
@Module({
  imports: [TypeOrmModule.forFeature([QuoteEntity, MatchedBetEntity, OrderEntity]), MarketsModule],
  controllers: [QuotesController, MatchedBetsController],
  providers: [QuotesService, QuotePricing, QuoteWriter, QuotedTermsReader, MatchedBetsService],
})
export class ExchangeModule {}
