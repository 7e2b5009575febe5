import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { trailingDistance } from '../../../domain/engine/trailing-stops.js';
import type { Side } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import type { OrderDto } from './order.dto.js';
import { OrderEntity } from './order.entity.js';
import { ORDER_IDS } from '../names/ids.js';

/** Exactly the condition of the partial index `orders_trailing`, for the alias `o`. */
const IS_TRAILING = `o.type = 'trailing_stop' AND o.status = 'untriggered'`;

type Waiting = Pick<OrderEntity, 'orderId' | 'bestTicks' | 'trailingTicks' | 'trailingBps'>;

/**
 * Where trailing stops stand. Of the stops of one side of a market, each has its part of the best price alone, and knows
 * the best of its own and of all later ones: see `domain/engine/trailing-stops.ts`.
 */
@Injectable()
export class TrailingProgressService {
  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
    private readonly reads: ReadPool,
  ) {}

  /** The same orders; those that trail, with their stop prices as the tables have them now. */
  async complete<O extends OrderDto>(orders: readonly O[]): Promise<O[]> {
    const stops = orders.filter(({ type, status }) => type === 'trailing_stop' && status === 'untriggered');
    if (stops.length === 0) return [...orders];
    const places = new Set(stops.map(placeOf));
    const found = new Map<string, ReadonlyMap<number, StopPlace>>();
    await this.core.projected();
    for (const place of places) {
      const { market_id: marketId, side } = stops.find((stop) => placeOf(stop) === place)!;
      const ids = stops.filter((stop) => placeOf(stop) === place).map(orderIdOf);
      found.set(place, await this.placesOf(marketId, side, Math.min(...ids)));
    }
    return orders.map((order): O => {
      const stands = found.get(placeOf(order))?.get(orderIdOf(order));
      if (stands === undefined) return order;
      const { price } = unitsOf(this.catalog.view(order.market_id).definition);
      return {
        ...order,
        stop_price: price.format(stands.stopTicks),
        best_price: price.format(stands.bestTicks),
      };
    });
  }

  /** Of all that wait on this side from the first order on; there is a bounded number. */
  private async placesOf(
    marketId: string,
    side: Side,
    first: number,
  ): Promise<ReadonlyMap<number, StopPlace>> {
    const waiting = await this.reads.read((manager) =>
      manager
        .createQueryBuilder(OrderEntity, 'o')
        .select(['o.accountId', 'o.orderId', 'o.bestTicks', 'o.trailingTicks', 'o.trailingBps'])
        .where(IS_TRAILING)
        .andWhere('o.market_id = :marketId AND o.side = :side AND o.order_id >= :first', {
          marketId,
          side,
          first,
        })
        .orderBy('o.order_id', 'DESC')
        .getMany(),
    );
    return stopPlaces(waiting, side);
  }
}

interface StopPlace {
  readonly bestTicks: number;
  readonly stopTicks: number;
}

/** By order; `waiting` are the latest stops, the last one first. */
function stopPlaces(waiting: readonly Waiting[], side: Side): Map<number, StopPlace> {
  const places = new Map<number, StopPlace>();
  let best: number | null = null;
  for (const stop of waiting) {
    // One that has triggered has none any more.
    if (stop.bestTicks === null) continue;
    if (best === null || (side === 'sell' ? stop.bestTicks > best : stop.bestTicks < best))
      best = stop.bestTicks;
    const distance = trailingDistance(stop, best);
    places.set(stop.orderId, {
      bestTicks: best,
      stopTicks: side === 'sell' ? best - distance : best + distance,
    });
  }
  return places;
}

const placeOf = ({ side, market_id: marketId }: OrderDto): string => `${side} ${marketId}`;
const orderIdOf = ({ order_id: orderId }: OrderDto): number => ORDER_IDS.parse(orderId)!;
