import { plainToInstance } from 'class-transformer';
import { IsIn, IsInt, IsString, Max, MaxLength, Min, validate } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { messagesOf } from './validation-messages.js';

class OrderDto {
  @IsString()
  @MaxLength(5)
  market_id!: string;

  @IsInt()
  @Min(1)
  @Max(500)
  limit = 1;

  @Min(2)
  least = 2;

  @IsIn(['buy', 'sell'])
  side = 'buy';
}

const messagesFor = async (body: object): Promise<string[]> => {
  const options = { whitelist: true, forbidNonWhitelisted: true };
  return (await validate(plainToInstance(OrderDto, body), options)).flatMap(messagesOf);
};

describe('the words for an invalid field', () => {
  it.each([
    [{}, ['market_id is required']],
    [{ market_id: null }, ['market_id is required']],
    [{ market_id: 'BTC', extra: 1 }, ['extra is no field of this request: leave it out']],
    [{ market_id: 'BTC', limit: 501 }, ['limit must be from 1 to 500']],
    [{ market_id: 'BTC', limit: 0 }, ['limit must be from 1 to 500']],
    [{ market_id: 'BTC', least: 1 }, ['least must not be less than 2']],
    [{ market_id: 'BTC', side: 'hold' }, ['side must be one of the following values: buy, sell']],
    [{ market_id: 'BTC-USD' }, ['market_id must be shorter than or equal to 5 characters']],
    [{ market_id: 'BTC', limit: 'many' }, ['limit must be an integer number', 'limit must be from 1 to 500']],
  ])('for %j: %j', async (body, expected) => {
    expect(await messagesFor(body)).toEqual(expected);
  });
});
