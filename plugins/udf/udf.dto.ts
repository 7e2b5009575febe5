import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';

/** A text that may be empty. What it says is read later, since the feed has an answer of its own for what it refuses. */
function Text(maxLength: number, description: string, example?: string): PropertyDecorator {
  return (target, property) => {
    ApiPropertyOptional({ type: String, maxLength, description, example })(target, property);
    IsOptional()(target, property);
    IsString()(target, property);
    MaxLength(maxLength)(target, property);
  };
}

const SymbolText = (): PropertyDecorator =>
  Text(100, 'A market, by its id, which the exchange may precede.', 'BTC-USD');
const Seconds = (description: string): PropertyDecorator => Text(20, `${description} Seconds since 1970.`);

/** A symbol; charts that convert prices name a currency and a unit too, which changes nothing here. */
export class SymbolQueryDto {
  @SymbolText()
  symbol?: string;

  @Text(20, 'Ignored: prices are in the currency of the market.')
  currencyCode?: string;

  @Text(20, 'Ignored: sizes are in the unit of the market.')
  unitId?: string;
}

export class HistoryQueryDto extends SymbolQueryDto {
  @Text(10, 'How long a bar is, one of those of the configuration.', '60')
  resolution?: string;

  @Seconds('The first time.')
  from?: string;

  @Seconds('The time before which bars begin.')
  to?: string;

  @Text(20, 'How many bars before `to`; with it, `from` is ignored.', '300')
  countback?: string;
}

export class MarksQueryDto {
  @SymbolText()
  symbol?: string;

  @Text(10, 'Ignored: a mark has a time of its own.', '60')
  resolution?: string;

  @Seconds('The first time.')
  from?: string;

  @Seconds('The last time.')
  to?: string;
}

export class SearchQueryDto {
  @Text(100, 'Text that the id, title, description or category contains, in any case of letters.', 'btc')
  query?: string;

  @Text(20, 'One of the types of the configuration; all where it is empty.')
  type?: string;

  @Text(100, 'One of the exchanges of the configuration; all where it is empty.')
  exchange?: string;

  @Text(20, 'How many to answer at most, up to 200 (default 30).', '30')
  limit?: string;
}

export class QuotesQueryDto {
  @Text(4_000, 'Symbols, separated by commas, 50 at most.', 'BTC-USD,ETH-USD')
  symbols?: string;
}
